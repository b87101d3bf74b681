"""A deadline for incomplete requests, so that they do not block others.

uvicorn waits for the rest of a request as long as the connection is open, and rejects all requests once there are
`limit_concurrency` connections. Here a request must be complete within `SECONDS`, and when more than `MOST_WAITING`
connections have not sent one, the oldest of those is closed.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
MOST_WAITING = 100


def deadline_protocol(seconds: float = SECONDS, most: int = MOST_WAITING) -> type[H11Protocol]:
    """The protocol for one server; its connections share the list of those that wait."""
    waiting: dict[DeadlineProtocol, asyncio.TimerHandle] = {}

    class Limited(DeadlineProtocol):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.waiting, self.seconds, self.most = waiting, seconds, most

    return Limited


class DeadlineProtocol(H11Protocol):
    """HTTP/1.1 on one connection. It waits from its beginning, or the first byte of a request, to the last one."""

    waiting: dict[DeadlineProtocol, asyncio.TimerHandle]
    seconds: float
    most: int

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        self._wait()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self in self.waiting:
            return
        self.waiting[self] = self.loop.call_later(self.seconds, self._give_up)
        if len(self.waiting) > self.most:
            next(iter(self.waiting))._give_up()  # dicts keep their order: the oldest is first

    def _wait_no_more(self) -> None:
        timer = self.waiting.pop(self, None)
        if timer is not None:
            timer.cancel()

    def _give_up(self) -> None:
        self._wait_no_more()
        self.transport.abort()
