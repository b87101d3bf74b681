"""The deadline of a case, shared by the model, its retries and its tools."""

from __future__ import annotations

import time
from collections.abc import Callable


class Deadline:
    """Counts the seconds a case may take, from now; None means no limit.

    Waiting in the queue does not count, because it depends on concurrency, not on the case. A delay that the
    provider asks for does, or a case limited to ten seconds could wait for an hour.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._started, self._excused = clock(), 0.0

    def left(self) -> float | None:
        """Seconds left, 0 after the deadline; None without a limit."""
        if self.seconds is None:
            return None
        return max(0.0, self.seconds - (self._clock() - self._started - self._excused))

    def excuse(self, seconds: float) -> None:
        """Exclude these seconds."""
        self._excused += seconds

    def now(self) -> float:
        """The clock it uses."""
        return self._clock()
