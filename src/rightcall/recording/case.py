"""One trial in progress: it returns recorded replies in order, or collects new ones.

The trial is found through a `ContextVar`, which tasks and `asyncio.to_thread` carry along. An agent's own
thread pools do not; such a request belongs to the only trial in flight, if there is only one.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from rightcall.core.errors import ProviderError
from rightcall.recording.canonical import kept_headers, key_of, stored_body
from rightcall.recording.cassette import TapedExchange
from rightcall.recording.miss import explain

CURRENT: ContextVar[TapedCase | None] = ContextVar("rightcall_taped_case", default=None)

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
        self.status, self.headers = status, headers

    def copy(self, chunk: bytes) -> None:
        self._content += chunk

    @property
    def worth_keeping(self) -> bool:
        return 0 < self.status < 500 and self.status not in NOT_KEPT

    def exchange(self, clean: Callable[[str], str]) -> TapedExchange:
        headers = kept_headers(self.headers, clean)
        body = stored_body(self.decoded(bytes(self._content)), headers.get("content-type", ""), clean)
        return TapedExchange(self.ask, {"status": self.status, "headers": headers, **body})


class TapedCase:
    """A trial of a golden that is replayed from `recorded`, or recorded when that is None."""

    def __init__(
        self, golden: str, trial: int, clean: Callable[[str], str], recorded: Sequence[TapedExchange] | None
    ) -> None:
        self.golden, self.trial, self._clean = golden, trial, clean
        self._recorded = recorded
        self._by_key: dict[str, list[TapedExchange]] = defaultdict(list)
        for exchange in recorded or ():
            self._by_key[key_of(exchange.ask)].append(exchange)
        self._asked: dict[str, int] = defaultdict(int)
        self._number = 0
        self._new: list[PendingReply | TapedExchange] = []
        self._lock = threading.Lock()
        self.missed = ""

    @property
    def replaying(self) -> bool:
        """Whether replies come from the recording."""
        return self._recorded is not None

    @property
    def names_servers(self) -> bool:
        """Whether the recording says which server answered; older ones do not."""
        return any("server" in exchange.ask for exchange in self._recorded or ())

    def replied(self, ask: dict[str, Any]) -> dict[str, Any]:
        """The recorded reply; the n-th equal request gets the n-th reply. `ProviderError` when there is none."""
        key = key_of(ask)
        with self._lock:
            turn, number = self._asked[key], self._number
            self._asked[key] += 1
            self._number += 1
        found = self._by_key.get(key, ())
        if turn < len(found):
            return found[turn].reply
        where = f"{self.golden}, trial {self.trial}"
        self.missed = self.missed or explain(where, ask, [e.ask for e in self._recorded or ()], number)
        raise ProviderError(self.missed, kind="not_recorded")

    def pending(self, ask: dict[str, Any]) -> PendingReply:
        """A reply that starts to arrive; its position is the order of the requests."""
        made = PendingReply(ask)
        with self._lock:
            self._new.append(made)
        return made

    def add(self, exchange: TapedExchange) -> None:
        """A request with its whole reply."""
        with self._lock:
            self._new.append(exchange)

    @property
    def unanswered(self) -> bool:
        """Whether a request never got an answer, however often it was sent: such a trial cannot be replayed."""
        answered: dict[str, bool] = {}
        for each in self._new:
            answered[key_of(each.ask)] = isinstance(each, TapedExchange) or each.worth_keeping
        return not all(answered.values())

    def exchanges(self) -> tuple[TapedExchange, ...]:
        """The recording, in request order; failed attempts are omitted."""
        return tuple(
            each.exchange(self._clean) if isinstance(each, PendingReply) else each
            for each in self._new
            if isinstance(each, TapedExchange) or each.worth_keeping
        )
