"""Bodies of OTLP requests, read within limits of size and time, for one request and for all together.

Slow senders must not fill the memory: when all unfinished bodies together are too large, the oldest is given up. A
sender that finishes in time never is the oldest for long.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from rightcall.core.errors import InputError
from rightcall.wings.traces.otlp_request import MAX_SENT
from rightcall.wings.traces.unpack import TooLarge

BODY_SECONDS, MAX_UNFINISHED = 30.0, 32 * 2**20


class SlowBodyError(InputError):
    """A body that took too long, or was the oldest when there was no room for more."""


@dataclass(eq=False)
class UnfinishedBody:
    """What has arrived of one body."""

    limit: asyncio.Timeout
    content: bytearray = field(default_factory=bytearray)


class BodyReader:
    """Reads the bodies of all requests of a receiver."""

    def __init__(self) -> None:
        self._unfinished: dict[UnfinishedBody, None] = {}
        self.held = 0
        """Bytes of unfinished bodies, without those that were given up."""

    async def read(self, request: Any) -> bytes:
        """The whole body; `TooLarge` or `SlowBodyError` when it is over a limit."""
        if (request.content_length or 0) > MAX_SENT:
            raise _too_large()
        try:
            async with asyncio.timeout(BODY_SECONDS) as limit:
                body = self._add_body(limit)
                try:
                    while chunk := await request.content.readany():
                        body.content += chunk
                        self.held += len(chunk) if body in self._unfinished else 0
                        if len(body.content) > MAX_SENT:
                            raise _too_large()
                        self._make_room()
                    content = bytes(body.content)
                finally:
                    self._give_up(body)
                    body.content.clear()  # the error of a lost connection keeps this frame alive for a while
        except TimeoutError:
            raise SlowBodyError(
                "", f"the body took more than {BODY_SECONDS:g} seconds, or too many are being sent"
            ) from None
        return content

    def _add_body(self, limit: asyncio.Timeout) -> UnfinishedBody:
        body = UnfinishedBody(limit)
        self._unfinished[body] = None
        return body

    def _make_room(self) -> None:
        if self.held <= MAX_UNFINISHED:
            return
        oldest = next(iter(self._unfinished))
        self._give_up(oldest)
        oldest.limit.reschedule(asyncio.get_running_loop().time())

    def _give_up(self, body: UnfinishedBody) -> None:
        """Stop counting a body: it is complete, or its reader is about to end."""
        if body in self._unfinished:
            del self._unfinished[body]
            self.held -= len(body.content)


def _too_large() -> TooLarge:
    return TooLarge("", f"more than {MAX_SENT // 2**20} MiB")
