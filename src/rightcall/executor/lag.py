"""Event loop lag: how much of a measured latency was added by this machine.

A reply that lies in the socket while the loop is busy, or while the whole process waits for a core, is measured too
late. A beat is scheduled every `BEAT` seconds; when one comes late, the loop was away for at most that much plus one
beat. What is added up is therefore an upper bound: the true latency lies between `latency - lag` and `latency`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

BEAT = 0.01
TOLERATED = 0.005
"""Seconds by which timers are late on an idle machine; not counted."""


class LagMeter:
    """Adds up the lag of one event loop. `so_far()` before and after something gives the lag within it, in seconds."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock, self._total, self._due = clock, 0.0, 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start the timer on the running loop."""
        loop = asyncio.get_running_loop()
        self._clock = self._clock or loop.time
        self._due = self._clock() + BEAT
        self._timer = loop.call_later(BEAT, self._beat_on, loop)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def so_far(self) -> float:
        """The lag so far, including that of a beat that is overdue."""
        return self._total + self._late()

    def beat(self) -> None:
        """Note how late this beat is, and when the next is due."""
        self._total += self._late()
        self._due = self._now() + BEAT

    def _beat_on(self, loop: asyncio.AbstractEventLoop) -> None:
        self.beat()
        self._timer = loop.call_later(BEAT, self._beat_on, loop)

    def _late(self) -> float:
        if not self._due:
            return 0.0
        late = self._now() - self._due
        return late + BEAT if late > TOLERATED else 0.0

    def _now(self) -> float:
        return self._clock() if self._clock is not None else 0.0
