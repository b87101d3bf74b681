"""When a case must be over: one clock for the model, its retries and its tools."""

from __future__ import annotations

import time
from collections.abc import Callable


class Deadline:
    """Counts the seconds a case may take, from now. None is no limit.

    Waiting for a turn is excused: how many cases run at once is not the case's doing. What a provider asks to be
    left alone for is not, or a case with ten seconds could wait for an hour.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._started, self._excused = clock(), 0.0

    def left(self) -> float | None:
        """Seconds left, 0 when it is over; None without a limit."""
        if self.seconds is None:
            return None
        return max(0.0, self.seconds - (self._clock() - self._started - self._excused))

    def excuse(self, seconds: float) -> None:
        """Do not count these seconds."""
        self._excused += seconds

    def now(self) -> float:
        """The clock it goes by."""
        return self._clock()
