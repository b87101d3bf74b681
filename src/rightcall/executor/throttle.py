"""Adaptive concurrency: the number of simultaneous requests that the provider accepts.

Additive increase, multiplicative decrease (Chiu and Jain, 1989): a provider that says "too many" halves the
limit, at most once a round; a round without complaint raises it by one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import Self


class Throttle:
    """An adaptive semaphore: use `async with throttle:` around each request, then report the outcome."""

    def __init__(self, most: int) -> None:
        self.most, self.limit, self.active = most, most, 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._good = 0
        self._ignored = 0

    async def __aenter__(self) -> Self:
        while self.active >= self.limit:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._wake()  # the slot may have been given to a request that was cancelled
                raise
        self.active += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.active -= 1
        self._wake()

    def resize(self, most: int) -> None:
        """Allow another maximum. A limit that was lowered by complaints stays low."""
        self.limit = most if self.limit == self.most else min(self.limit, most)
        self.most = most
        self._wake()

    def went_well(self) -> None:
        """A request succeeded. A full round of successes raises the limit by one."""
        if self.limit < self.most:
            self._good += 1
            if self._good >= self.limit:
                self.limit, self._good = self.limit + 1, 0
                self._wake()

    def too_much(self) -> None:
        """The provider is overloaded. Rejections of requests already in flight count once."""
        if self._ignored > 0:
            self._ignored -= 1
            return
        self._ignored, self._good = self.active, 0
        self.limit = max(1, self.limit // 2)

    def _wake(self) -> None:
        free = self.limit - self.active
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
