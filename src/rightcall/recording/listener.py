"""Called by every hook before a request is sent: replay it, record it, or let it pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from rightcall.core.errors import ProviderError
from rightcall.recording.canonical import body_chunks, http_ask
from rightcall.recording.case import CURRENT, PASSING, PendingReply
from rightcall.recording.library import Recordings


class ReplayRefusedError(ProviderError):
    """A request that was not recorded was stopped before it left the machine."""


@dataclass(frozen=True)
class ReplayedReply:
    """A recorded answer of a server."""

    status: int
    headers: dict[str, str]
    chunks: list[bytes]

    @property
    def content(self) -> bytes:
        return b"".join(self.chunks)


class Listener:
    """Stands between an agent's HTTP library and the network."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings

    def listens(self) -> bool:
        """Always: in replay a request that belongs to no trial is refused."""
        return True

    def unreadable(self, method: str, url: str) -> None:
        """A body that can be read only once is neither recorded nor replayed."""

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> ReplayedReply | PendingReply | None:
        """A recorded reply to return, a pending one to fill, or None to let the request pass."""
        hosts = self._recordings.settings.hosts
        if hosts and (urlsplit(url).hostname or "") not in hosts:
            return None
        case = CURRENT.get() or self._recordings.only_case()
        if case is PASSING:
            return None
        if case is None:
            if self._recordings.replays_only:
                raise ReplayRefusedError(
                    self._recordings.note_miss(
                        f"a request to {urlsplit(url).hostname} outside any trial was refused in replay mode; does "
                        "the agent use its own thread pool? use asyncio.to_thread, which keeps the context"
                    ),
                    kind="not_recorded",
                )
            return None
        plain = {name.lower(): value for name, value in headers.items()}
        ask = http_ask(method, url, plain, body, self._recordings.clean, self._recordings.ignored)
        if not case.is_replaying:
            return case.begin_reply(ask)
        try:
            reply = case.next_reply(ask)
        except ProviderError as error:
            raise ReplayRefusedError(error.problem, kind="not_recorded") from None
        return _reply(reply)


def _reply(stored: Mapping[str, Any]) -> ReplayedReply:
    return ReplayedReply(int(stored.get("status", 200)), dict(stored.get("headers", {})), body_chunks(stored))


def join_headers(headers: Iterable[tuple[Any, Any]]) -> dict[str, str]:
    """Header pairs of any library as a plain mapping; repeated ones are joined."""
    headers_by_name: dict[str, str] = {}
    for name, value in headers:
        key = name.decode("latin-1") if isinstance(name, bytes) else str(name)
        text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
        headers_by_name[key.lower()] = (
            f"{headers_by_name[key.lower()]}, {text}" if key.lower() in headers_by_name else text
        )
    return headers_by_name
