"""A clock that tests and faults can move; leases, expiry and waiting use it instead of the system's."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds since the epoch, and a way to wait. `slept` is how long waiting only seemed to take."""

    slept: float

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """Real time."""

    slept = 0.0

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class VirtualClock:
    """Time that stands still until someone waits or moves it: a wait of an hour takes none."""

    def __init__(self, start: float = 1_000_000_000.0) -> None:
        self._now, self.slept = start, 0.0

    def now(self) -> float:
        return self._now

    def move(self, seconds: float) -> None:
        """Jump forward, or back with a negative number."""
        self._now += seconds

    async def sleep(self, seconds: float) -> None:
        self._now += max(0.0, seconds)
        self.slept += max(0.0, seconds)
        await asyncio.sleep(0)
