"""Retries requests to the store for a limited time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from rightcall.errors import StoreError

T = TypeVar("T")

SECONDS = 60.0
"""How long a store may fail before a writer gives up."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0


class Persistence:
    """Repeats operations that fail with a retryable `StoreError`: a lock, a lost connection, a full disk.

    Operations must be idempotent: a connection that breaks during a commit does not reveal whether the commit
    happened. Pauses double from `FIRST_PAUSE` to `LONGEST_PAUSE`.
    """

    def __init__(self, seconds: float | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = SECONDS if seconds is None else seconds, clock
        self._hurried = threading.Event()

    def hurry(self) -> None:
        """Give up after the current attempt. May be called from any thread."""
        self._hurried.set()

    def __call__(self, work: Callable[[], T]) -> T:
        """What `work` returns; its last error when the time is up or a retry cannot help."""
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
