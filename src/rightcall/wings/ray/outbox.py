"""Sends the results of one lease in batches, without delay and with a heartbeat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from rightcall.model.run import CaseResult
from rightcall.wings.ray.message import Failed

BATCH = 100
GATHER_SECONDS = 0.25
"""How long a result waits for others to travel with: a batch costs the driver two milliseconds, whatever is in it."""

PROMPT_SECONDS = 0.05
"""The same where every result may end the run: cases that are run meanwhile would be wasted."""

HEARTBEAT_SECONDS = 5.0
"""An empty batch is sent when nothing happened for this long."""


Placed = tuple[int, CaseResult]
"""A result and its place in its lease."""


class Outbox:
    """Holds results until they are sent. `left` counts cells that are neither done nor given up."""

    def __init__(self, cells: int, gather_seconds: float = GATHER_SECONDS) -> None:
        self.left = cells
        self._gather_seconds = gather_seconds
        self.lag_ms = 0.0
        self.failed: Failed | None = None
        self._results: list[Placed] = []
        self._news, self._full = asyncio.Event(), asyncio.Event()

    def put(self, place: int, result: CaseResult, lag_ms: float = 0.0) -> None:
        self._results.append((place, result))
        self.lag_ms = max(self.lag_ms, lag_ms)
        self.give_up()

    def give_up(self) -> None:
        """One cell will not get a result."""
        self.left -= 1
        self._notify()

    def fail(self, failed: Failed) -> None:
        """End with this error; no more results follow."""
        self.failed = failed
        self._notify()

    async def batches(self) -> AsyncIterator[list[Placed]]:
        """Batches until the lease is done; the last one says so if the worker failed."""
        while not self._has_ended:
            await _wait(self._news, HEARTBEAT_SECONDS)
            if self._results and not self._has_ended:
                await _wait(self._full, self._gather_seconds)
            self._news.clear()
            self._full.clear()
            yield self._take()
            if len(self._results) >= BATCH:
                self._notify()
        while self._results or self.failed is not None:
            yield self._take()
            if not self._results:
                return

    @property
    def _has_ended(self) -> bool:
        return self.left <= 0 or self.failed is not None

    def _notify(self) -> None:
        self._news.set()
        if len(self._results) >= BATCH or self._has_ended:
            self._full.set()

    def _take(self) -> list[Placed]:
        batch = self._results[:BATCH]
        del self._results[:BATCH]
        return batch


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
