"""Threads for tools that block: reused, and never in the way of the process ending.

The pool of the standard library joins its threads at exit, so that one hanging tool keeps the whole
process from ending. These are daemons.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any

Job = Callable[[], None]


class _Pool:
    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._idle = 0
        self._lock = threading.Lock()

    def submit(self, job: Job) -> None:
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            else:
                threading.Thread(target=self._work, name="rightcall-tool", daemon=True).start()
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
    """Run a blocking function beside the event loop and wait for it.

    A thread cannot be stopped: when the waiting is cancelled it runs on, and `when_late` is called in it
    with the result or the exception that came too late.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    lock, ended, abandoned = threading.Lock(), [], threading.Event()
    context = contextvars.copy_context()

    def job() -> None:
        result: Any = None
        failure: BaseException | None = None
        try:
            result = context.run(function)
        except BaseException as error:
            failure = error
        with lock:
            ended.append((result, failure))
            late = abandoned.is_set()
        if late:
            if when_late is not None:
                when_late(result, failure)
            return
        try:
            loop.call_soon_threadsafe(_settle, future, result, failure)
        except RuntimeError:  # the loop has been closed meanwhile: nobody is waiting
            return

    _pool.submit(job)
    try:
        return await future
    except asyncio.CancelledError:
        with lock:
            abandoned.set()
            already = list(ended)
        if already and when_late is not None:
            when_late(*already[0])
        raise


def _settle(future: asyncio.Future[Any], result: Any, failure: BaseException | None) -> None:
    if future.done():
        return
    if failure is None:
        future.set_result(result)
    elif isinstance(failure, StopIteration):  # a future cannot carry it
        future.set_exception(RuntimeError("the tool raised StopIteration"))
    else:
        future.set_exception(failure)
