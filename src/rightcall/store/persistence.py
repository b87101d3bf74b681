"""Retries requests to the store for a limited time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from rightcall.errors import StoreError

T = TypeVar("T")

SECONDS = 60.0
"""How long a store may fail before whoever writes to it gives up."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0


class Persistence:
    """Repeats what fails with a retryable `StoreError`: a lock is released, a lost server comes back, room is made.

    What it repeats must be safe to repeat: a connection that breaks during a commit does not say whether the commit
    took place. Pauses double from `FIRST_PAUSE` to `LONGEST_PAUSE`.
    """

    def __init__(self, seconds: float | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = SECONDS if seconds is None else seconds, clock
        self._hurried = threading.Event()

    def hurry(self) -> None:
        """Give up after the attempt that is under way, because somebody is waiting for the end. For any thread."""
        self._hurried.set()

    def __call__(self, work: Callable[[], T]) -> T:
        """What `work` returns; its last error when the time is over or trying again cannot help."""
        give_up, pause = self._clock() + self._seconds, FIRST_PAUSE
        while True:
            try:
                return work()
            except StoreError as error:
                left = give_up - self._clock()
                if not error.retryable or left <= 0 or self._hurried.is_set():
                    raise
            self._hurried.wait(min(pause, left))
            pause = min(2 * pause, LONGEST_PAUSE)
