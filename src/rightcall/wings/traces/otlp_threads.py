"""Threads for the work on OTLP requests, so that the event loop keeps answering.

A request of 16 MiB takes seconds to parse and to redact. Large requests have a separate thread: small ones do not
wait for them. One thread each, because memory that a thread needed once stays with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from rightcall.core.errors import InputError

LARGE, MAX_HELD = 256 * 2**10, 64 * 2**20
T = TypeVar("T")


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
