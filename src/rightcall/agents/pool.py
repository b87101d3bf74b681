"""Concurrent cases: a pool of workers, the one place that bounds concurrency, and the lag that a busy loop adds."""

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
        self.under_way = 0
        self._room = asyncio.Event()

    def stop(self, why: str) -> None:
        self.stopped = self.stopped or why

    def fail(self, error: Exception) -> None:
        """Cancel running jobs; `run` raises the error."""
        self._error = self._error or error
        for worker in self._workers:
            worker.cancel()

    def resize(self, concurrency: int) -> None:
        """Allow more or fewer jobs at a time, of jobs that arrive over time; those in progress finish."""
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
            raise self._error or first_error(errors) from None
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
        """Wait for room, then take a job, so that a job that was taken starts at once."""

        async def do_job(job: Job) -> None:
            try:
                await do(job)
            finally:
                self.under_way -= 1
                self._room.set()

        while not self.stopped:
            while self.under_way >= self.concurrency:
                self._room.clear()
                await self._room.wait()
            try:
                job = await anext(jobs)
            except StopAsyncIteration:
                return
            self.under_way += 1
            self._start(group, do_job(job))


def first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error; the others are mostly its consequences."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


BEAT = 0.01
TOLERATED = 0.005
"""Seconds by which timers are late on an idle machine; not counted."""


class LagMeter:
    """Adds up the lag of one event loop. `so_far()` before and after something gives the lag within it, in seconds."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock
        self._total = 0.0
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._clock = self._clock or loop.time
        self._due = self._clock() + BEAT
        self._timer = loop.call_later(BEAT, self._beat_on, loop)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def so_far(self) -> float:
        """The lag so far, including that of an overdue beat."""
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
