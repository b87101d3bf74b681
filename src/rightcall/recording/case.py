"""One trial in progress: it returns recorded replies in order, or collects new ones.

The trial is found through a `ContextVar`, which tasks and `asyncio.to_thread` carry along. An agent's own
thread pools do not; such a request belongs to the only trial in flight, if there is only one.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

import msgspec

from rightcall.core.errors import ProviderError
from rightcall.recording.canonical import Ignored, body_record, headers_to_store, key_of, scrub_value
from rightcall.recording.cassette import TapedExchange
from rightcall.recording.miss import explain

CURRENT: ContextVar[TapedCase | None] = ContextVar("rightcall_taped_case", default=None)

TOOL = "tool"
"""The field of a recorded tool call that names the tool; requests to models and servers have none."""

NOT_KEPT = frozenset((408, 409, 425, 429))
"""Statuses after which a client retries; so are all 5xx."""


class PendingReply:
    """A reply in progress: chunks are copied as they arrive."""

    def __init__(self, ask: dict[str, Any]) -> None:
        self.ask = ask
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.decoded: Callable[[bytes], bytes] = lambda content: content
        self._content = bytearray()

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.status = status
        self.headers = headers

    def copy(self, chunk: bytes) -> None:
        self._content += chunk

    @property
    def worth_keeping(self) -> bool:
        return 0 < self.status < 500 and self.status not in NOT_KEPT

    def exchange(self, clean: Callable[[str], str]) -> TapedExchange:
        headers = headers_to_store(self.headers, clean)
        body = body_record(self.decoded(bytes(self._content)), headers.get("content-type", ""), clean)
        return TapedExchange(self.ask, {"status": self.status, "headers": headers, **body})


class ReplayedReply(msgspec.Struct, frozen=True):
    status: int
    headers: dict[str, str]
    chunks: list[bytes]

    @property
    def content(self) -> bytes:
        return b"".join(self.chunks)


class PendingCall:
    """A tool call in progress; `reply` says how it ended, once it has."""

    def __init__(self, ask: dict[str, Any]) -> None:
        self.ask = ask
        self.reply: dict[str, Any] | None = None

    @property
    def worth_keeping(self) -> bool:
        return self.reply is not None

    def exchange(self, clean: Callable[[str], str]) -> TapedExchange:
        return TapedExchange(self.ask, self.reply or {})


Entry = TypeVar("Entry", PendingReply, PendingCall, TapedExchange)


class TapedCase:
    """A trial of a golden that is replayed from `recorded`, or recorded when that is None."""

    def __init__(
        self,
        golden: str,
        trial: int,
        clean: Callable[[str], str],
        recorded: Sequence[TapedExchange] | None,
        ignored: Sequence[Ignored] = (),
    ) -> None:
        self.golden = golden
        self.trial = trial
        self.clean = clean
        self._ignored = ignored
        self._recorded = recorded
        self._by_key: dict[str, list[TapedExchange]] = defaultdict(list)
        for exchange in recorded or ():
            self._by_key[key_of(exchange.ask)].append(exchange)
        self._asked: dict[str, int] = defaultdict(int)
        self._numbers = {True: 0, False: 0}
        self._new: list[PendingReply | PendingCall | TapedExchange] = []
        self._lock = threading.Lock()
        self.missed = ""

    @property
    def is_replaying(self) -> bool:
        return self._recorded is not None

    def next_reply(self, ask: dict[str, Any]) -> dict[str, Any]:
        """The recorded reply; the n-th equal request gets the n-th reply. `ProviderError` when there is none."""
        key = key_of(ask)
        is_call = TOOL in ask
        with self._lock:
            turn = self._asked[key]
            number = self._numbers[is_call]
            self._asked[key] += 1
            self._numbers[is_call] += 1
        replies = self._by_key.get(key, ())
        if turn < len(replies):
            return replies[turn].reply
        where = f"{self.golden or 'a request without a golden'}, trial {self.trial}"
        alike = [e.ask for e in self._recorded or () if (TOOL in e.ask) == is_call]
        self.missed = self.missed or explain(where, ask, alike, number)
        raise ProviderError(self.missed, kind="not_recorded")

    def tool_ask(self, tool: str, arguments: Mapping[str, Any], part: str = "") -> dict[str, Any]:
        """A tool call as it is compared and written; `part` is what else a tool is asked: its preview."""
        ask = {TOOL: tool, "arguments": scrub_value(arguments, self.clean)} | ({"part": part} if part else {})
        for pattern in self._ignored:
            ask = pattern.mask(ask)
        return ask

    def begin_call(self, ask: dict[str, Any]) -> PendingCall:
        """A tool call that begins; its position is the order of the calls."""
        return self.add(PendingCall(ask))

    def begin_reply(self, ask: dict[str, Any]) -> PendingReply:
        """A reply that starts to arrive; its position is the order of the requests."""
        return self.add(PendingReply(ask))

    def add(self, entry: Entry) -> Entry:
        with self._lock:
            self._new.append(entry)
        return entry

    @property
    def has_open_requests(self) -> bool:
        """Whether a request never got an answer, however often it was sent: such a trial cannot be replayed."""
        answered = {key_of(e.ask): isinstance(e, TapedExchange) or e.worth_keeping for e in self._new}
        return not all(answered.values())

    def exchanges(self) -> tuple[TapedExchange, ...]:
        """The recording, in request order; failed attempts are omitted."""
        return tuple(
            entry if isinstance(entry, TapedExchange) else entry.exchange(self.clean)
            for entry in self._new
            if isinstance(entry, TapedExchange) or entry.worth_keeping
        )


PASSING = TapedCase("", 0, str, None)
"""The trial of requests that pass: a provider records them itself."""
