"""A pool of workers; the one place that bounds concurrency."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

Job = TypeVar("Job")


class Pool:
    """Workers that take jobs one after the other.

    `stop(why)` starts no more jobs and lets running ones finish; `fail(error)` cancels all of them.
    """

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self.stopped = ""
        self._error: Exception | None = None
        self._workers: list[asyncio.Task[None]] = []

    def stop(self, why: str) -> None:
        self.stopped = self.stopped or why

    def fail(self, error: Exception) -> None:
        """Cancel running jobs; `run` raises the error."""
        self._error = self._error or error
        for worker in self._workers:
            worker.cancel()

    async def run(self, jobs: Iterator[Job], do: Callable[[Job], Awaitable[None]]) -> None:
        """Run every job. An exception stops all of them: a failing case is data, so this means a broken setup."""
        try:
            async with asyncio.TaskGroup() as group:
                self._workers = [group.create_task(self._work(jobs, do)) for _ in range(self.concurrency)]
        except BaseExceptionGroup as errors:
            raise self._error or _first(errors) from None
        if self._error is not None:
            raise self._error

    async def _work(self, jobs: Iterator[Job], do: Callable[[Job], Awaitable[None]]) -> None:
        for job in jobs:
            if self._error is not None:
                return
            await do(job)
            if self.stopped:
                return


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that came first; the others are mostly its consequences."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
