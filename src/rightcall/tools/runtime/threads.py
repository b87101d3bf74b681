"""Threads for blocking tools and metrics: reused, and never preventing the process from exiting.

The pool of the standard library joins its threads at exit, so that one hanging tool keeps the whole
process from ending. These are daemons.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any

from rightcall.errors import contained

Job = Callable[[], None]


class _Pool:
    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._idle = 0
        self._lock = (
            threading.RLock()
        )  # an object may be garbage-collected, and submit, while the lock is held

    def submit(self, job: Job) -> None:
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            else:
                threading.Thread(target=self._work, name="rightcall-work", daemon=True).start()
        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            self._jobs.get()()
            with self._lock:
                self._idle += 1


_pool = _Pool()


async def in_thread(
    function: Callable[[], Any], *, when_late: Callable[[Any, BaseException | None], None] | None = None
) -> Any:
    """Run a blocking function in a thread and wait for it.

    A thread cannot be stopped: when waiting is cancelled it keeps running, and `when_late` is called in it
    with the result or the exception that came too late.
    """
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    ended = _Ended(when_late)
    _pool.submit(_job(function, future, ended))
    try:
        return await future
    except asyncio.CancelledError:
        ended.abandon()
        raise


def in_background(job: Job) -> None:
    """Run a blocking function in the background; it is not awaited, and must not raise."""
    _pool.submit(job)


class _Ended:
    """The end of a job and the end of waiting for it; whichever comes second reports a late result."""

    def __init__(self, when_late: Callable[[Any, BaseException | None], None] | None) -> None:
        self._when_late, self._lock = when_late, threading.Lock()
        self._abandoned = False
        self._result: tuple[Any, BaseException | None] | None = None

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            result, self._result = self._result, None
        if result is not None and self._when_late is not None:
            self._when_late(*result)

    def set(self, result: Any, failure: BaseException | None) -> bool:
        """Whether it is awaited."""
        with self._lock:
            late = self._abandoned
            self._result = (result, failure)
        if late and self._when_late is not None:
            self._when_late(result, failure)
        return not late


def _job(function: Callable[[], Any], future: asyncio.Future[Any], ended: _Ended) -> Job:
    """The function in the caller's context. Only the job refers to that: it ends when the job does."""
    loop, context = future.get_loop(), contextvars.copy_context()

    def job() -> None:
        result: Any = None
        failure: BaseException | None = None
        try:
            with contained(in_thread=True):
                result = context.run(function)
        except Exception as error:
            failure = error
        if not ended.set(result, failure):
            return
        with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile: nothing is waiting
            loop.call_soon_threadsafe(_settle, future, result, failure)

    return job


def _settle(future: asyncio.Future[Any], result: Any, failure: BaseException | None) -> None:
    if future.done():
        return
    if failure is None:
        future.set_result(result)
    elif isinstance(failure, StopIteration):  # a future cannot hold it
        future.set_exception(RuntimeError("it raised StopIteration"))
    else:
        future.set_exception(failure)
