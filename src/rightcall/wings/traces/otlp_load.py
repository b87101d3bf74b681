"""What OTLP requests may hold: their bodies, within limits of size and time, and threads for the work on them.

Slow senders must not fill the memory: when all unfinished bodies together are too large, the oldest is given up. A
sender that finishes in time never is the oldest for long.

A request of 16 MiB takes seconds to parse and to redact: threads do it, so that the event loop keeps answering. Large
requests have a separate thread: small ones do not wait for them. One thread each, because memory that a thread needed
once stays with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rightcall.core.errors import InputError
from rightcall.wings.traces.otlp_request import MAX_SENT
from rightcall.wings.traces.unpack import TooLarge

BODY_SECONDS, MAX_UNFINISHED = 30.0, 32 * 2**20
LARGE, MAX_HELD = 256 * 2**10, 64 * 2**20
T = TypeVar("T")


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
                body = UnfinishedBody(limit)
                self._unfinished[body] = None
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


class BusyError(InputError):
    """Too many bytes of other requests are being worked on."""


class RequestThreads:
    """Runs work on the content of requests. `held` is how many bytes wait for it or are in it."""

    def __init__(self) -> None:
        self._small, self._large = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self.held = 0

    async def run(self, size: int, work: Callable[..., T], *arguments: Any) -> T:
        """The result of `work` on content of this size; `BusyError` when too much is waiting already."""
        if self.held and self.held + size > MAX_HELD:
            raise BusyError("", "too many large requests are being read")
        thread = self._large if size > LARGE else self._small
        self.held += size
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, work, *arguments)
        finally:
            self.held -= size

    def close(self) -> None:
        for thread in (self._small, self._large):
            thread.shutdown(wait=False, cancel_futures=True)
