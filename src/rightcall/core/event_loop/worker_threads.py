"""Threads for blocking agents, tools and metrics. They are reused and never prevent the process from exiting."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from rightcall.core.errors import contain_exits
from rightcall.core.event_loop.daemon_threads import DaemonThreads, Job, OneThread
from rightcall.core.event_loop.kept_loop import CLOSING_S, Call, current_call, local_loops

_threads = DaemonThreads("rightcall-work")


async def in_thread(
    function: Callable[[], Any],
    *,
    when_late: Callable[[Any, BaseException | None], None] | None = None,
    cancel: bool = False,
    thread: OneThread | None = None,
) -> Any:
    """Run a blocking function in a thread and wait for it. Work for `asyncio.get_event_loop()` is done by this loop.

    A thread cannot be stopped: when waiting is cancelled it keeps running, and `when_late` is called in it
    with the result or the exception that came too late. With `cancel` that work is cancelled too.
    A `thread` that is not waited for any more is left.
    """
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    ended = _Ended(when_late)
    loop = LentLoop(future.get_loop())
    (thread or _threads).submit(_job(function, future, ended, loop))
    try:
        return await future
    except asyncio.CancelledError:
        ended.abandon()
        if cancel:
            loop.abandon()
        if thread is not None:
            thread.leave()
        raise


class TrialThread:
    """Where the blocking functions of one trial run: what one of them opens may be usable only in its own thread.

    With `of_loop` that is the thread of the event loop, in which an async agent runs.
    """

    def __init__(self, *, of_loop: bool) -> None:
        self._thread = None if of_loop else OneThread(_threads)

    async def run(self, function: Callable[[], Any]) -> Any:
        if self._thread is not None:
            return await in_thread(function, cancel=True, thread=self._thread)
        with contain_exits():
            return function()

    def leave(self) -> None:
        if self._thread is not None:
            self._thread.leave()


def in_background(job: Job) -> None:
    """Run a blocking function in the background; it is not awaited, and must not raise."""
    _threads.submit(job)


class _Ended:
    """The end of a job and the end of waiting for it; whichever comes second reports a late result."""

    def __init__(self, when_late: Callable[[Any, BaseException | None], None] | None) -> None:
        self._when_late = when_late
        self._lock = threading.Lock()
        self._abandoned = False
        self._result: tuple[Any, BaseException | None] | None = None

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            result = self._result
            self._result = None
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


def _job(function: Callable[[], Any], future: asyncio.Future[Any], ended: _Ended, lent: LentLoop) -> Job:
    """The function in the caller's context. Only the job refers to that: it ends when the job does."""
    loop = future.get_loop()
    context = contextvars.copy_context()

    def job() -> None:
        result: Any = None
        failure: BaseException | None = None
        try:
            with contain_exits(in_thread=True), lend_loop(lent):
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


def _on_loop(name: str) -> Any:
    """A method of a loop that is called in the loop."""

    def method(self: LentLoop, *args: Any, **options: Any) -> Any:
        async def call() -> Any:
            return getattr(asyncio.get_running_loop(), name)(*args, **options)

        return self.wait_for(call())

    return method


_AbstractLoop: Any = asyncio.AbstractEventLoop  # what it does not offer raises NotImplementedError


class LentLoop(_AbstractLoop):  # type: ignore[misc]
    """The event loop of a thread in which code under test runs: its work is done by the loop that waits for the thread.

    `asyncio.get_event_loop()` gives it, so that `run_sync` of frameworks finds the clients of earlier trials.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._within = current_call()
        self._call: Call[Any] | None = None
        self._stopped: asyncio.Event | None = None
        self._abandoned = self._closed = False

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What a coroutine gives, in the context of this thread."""
        if self._abandoned:
            work.close()
            raise asyncio.CancelledError
        self._call = call = Call(work)
        if self._within is not None:
            self._within.hand_over(call, self._loop)
        else:
            self._loop.call_soon_threadsafe(call.start, self._loop)
        if self._abandoned:
            call.cancel()
        while not call.ended.wait(CLOSING_S):
            if self._loop.is_closed():
                raise asyncio.CancelledError
        self._call = None
        return call.result()

    def abandon(self) -> None:
        """Cancel what runs here, from any thread: nobody waits for this thread any more."""
        self._abandoned = True
        call = self._call
        if call is not None:
            call.cancel()

    def run_until_complete(self, future: Any) -> Any:
        if self._closed:
            raise RuntimeError("Event loop is closed")
        return self.wait_for(future if asyncio.iscoroutine(future) else _result(future))

    def run_forever(self) -> None:
        async def until_stopped() -> None:
            self._stopped = asyncio.Event()
            await self._stopped.wait()

        self.wait_for(until_stopped())

    def stop(self) -> None:
        if self._stopped is not None:
            self.call_soon_threadsafe(self._stopped.set)

    def close(self) -> None:
        """It can no longer be used; the loop that does its work stays open."""
        self._closed = True

    def is_closed(self) -> bool:
        return self._closed

    def is_running(self) -> bool:
        return False  # it would be a running loop of this thread otherwise

    def get_debug(self) -> bool:
        return False

    async def shutdown_asyncgens(self) -> None:
        return

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109  asyncio's
        return

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> Any:
        return self._loop.call_soon_threadsafe(callback, *args, context=context)

    call_soon = call_soon_threadsafe
    create_task = _on_loop("create_task")
    create_future = _on_loop("create_future")
    call_later = _on_loop("call_later")
    call_at = _on_loop("call_at")
    time = _on_loop("time")
    run_in_executor = _on_loop("run_in_executor")
    call_exception_handler = _on_loop("call_exception_handler")


async def _result(future: Any) -> Any:
    try:
        return await future
    except asyncio.CancelledError:
        if not future.done():  # it is this wait that is cancelled
            future.cancel()
        raise


@contextlib.contextmanager
def lend_loop(loop: LentLoop) -> Iterator[None]:
    """Let this thread, which has no running loop, use the one that waits for it."""
    local_loops.lent = loop
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        local_loops.lent = None
