"""Many cases at once, never more than so many; the one place where concurrency is bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

Job = TypeVar("Job")


class Pool:
    """Workers that take jobs one after the other. `stop(why)` lets those under way end and begins no other."""

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self.stopped = ""

    def stop(self, why: str) -> None:
        self.stopped = self.stopped or why

    async def run(self, jobs: Iterator[Job], do: Callable[[Job], Awaitable[None]]) -> None:
        """Do every job. What `do` raises stops all of them: a failing case is data, so this is a broken setup."""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.concurrency):
                    group.create_task(self._work(jobs, do))
        except BaseExceptionGroup as errors:
            raise _first(errors) from None

    async def _work(self, jobs: Iterator[Job], do: Callable[[Job], Awaitable[None]]) -> None:
        for job in jobs:
            await do(job)
            if self.stopped:
                return


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that came first; the others are mostly its consequences."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
