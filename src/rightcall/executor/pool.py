"""A pool of workers; the one place that bounds concurrency."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import TypeVar

Job = TypeVar("Job")


class Pool:
    """Runs jobs, at most `concurrency` at a time.

    `stop(why)` starts no more jobs and lets running ones finish; `fail(error)` cancels all of them.
    """

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self.stopped = ""
        self._error: Exception | None = None
        self._workers: set[asyncio.Task[None]] = set()
        self._under_way = 0
        self._room = asyncio.Event()

    def stop(self, why: str) -> None:
        self.stopped = self.stopped or why

    def fail(self, error: Exception) -> None:
        """Cancel running jobs; `run` raises the error."""
        self._error = self._error or error
        for worker in self._workers:
            worker.cancel()

    def resize(self, concurrency: int) -> None:
        """Allow more or fewer jobs at a time, of jobs that arrive over time; those under way finish."""
        self.concurrency = concurrency
        self._room.set()

    async def run(
        self, jobs: Iterator[Job] | AsyncIterator[Job], do: Callable[[Job], Awaitable[None]]
    ) -> None:
        """Run every job; an async iterator is asked for the next one whenever there is room.

        An exception stops all of them: a failing case is data, so this means a broken setup.
        """
        try:
            async with asyncio.TaskGroup() as group:
                if isinstance(jobs, AsyncIterator):
                    self._start(group, self._take(group, jobs, do))
                else:
                    for _ in range(self.concurrency):
                        self._start(group, self._work(jobs, do))
        except BaseExceptionGroup as errors:
            raise self._error or _first(errors) from None
        if self._error is not None:
            raise self._error

    def _start(self, group: asyncio.TaskGroup, work: Coroutine[None, None, None]) -> None:
        task = group.create_task(work)
        self._workers.add(task)
        task.add_done_callback(self._workers.discard)

    async def _work(self, jobs: Iterator[Job], do: Callable[[Job], Awaitable[None]]) -> None:
        for job in jobs:
            if self._error is not None:
                return
            await do(job)
            if self.stopped:
                return

    async def _take(
        self, group: asyncio.TaskGroup, jobs: AsyncIterator[Job], do: Callable[[Job], Awaitable[None]]
    ) -> None:
        """Room first, then a job: a job that was taken is begun at once, so none is left between the two."""

        async def counted(job: Job) -> None:
            try:
                await do(job)
            finally:
                self._under_way -= 1
                self._room.set()

        while not self.stopped:
            while self._under_way >= self.concurrency:
                self._room.clear()
                await self._room.wait()
            try:
                job = await anext(jobs)
            except StopAsyncIteration:
                return
            self._under_way += 1
            self._start(group, counted(job))


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that came first; the others are mostly its consequences."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
