"""Threads for blocking agents, tools and metrics. They are reused and never prevent the process from exiting."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import Any

from rightcall.core.errors import contain_exits
from rightcall.core.event_loop.borrowed_loop import BorrowedLoop, lend_loop
from rightcall.core.event_loop.daemon_threads import DaemonThreads, Job

_threads = DaemonThreads("rightcall-work")


async def in_thread(
    function: Callable[[], Any],
    *,
    when_late: Callable[[Any, BaseException | None], None] | None = None,
    cancel: bool = False,
) -> Any:
    """Run a blocking function in a thread and wait for it. Async code that it runs is run by the shared event loop.

    A thread cannot be stopped: when waiting is cancelled it keeps running, and `when_late` is called in it
    with the result or the exception that came too late. With `cancel` the async code that it waits for is cancelled.
    """
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    ended, loop = _Ended(when_late), BorrowedLoop()
    _threads.submit(_job(function, future, ended, loop))
    try:
        return await future
    except asyncio.CancelledError:
        ended.abandon()
        if cancel:
            loop.abandon()
        raise


def in_background(job: Job) -> None:
    """Run a blocking function in the background; it is not awaited, and must not raise."""
    _threads.submit(job)


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


def _job(
    function: Callable[[], Any], future: asyncio.Future[Any], ended: _Ended, borrowed: BorrowedLoop
) -> Job:
    """The function in the caller's context. Only the job refers to that: it ends when the job does."""
    loop, context = future.get_loop(), contextvars.copy_context()

    def job() -> None:
        result: Any = None
        failure: BaseException | None = None
        try:
            with contain_exits(in_thread=True), lend_loop(borrowed):
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
