"""Threads for blocking agents, tools and metrics. They are reused and never prevent the process from exiting."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar
from weakref import WeakSet

from rightcall.core.errors import contain_exits
from rightcall.core.event_loop import run_call
from rightcall.core.event_loop.daemon_threads import DaemonThreads, Job, OneThread
from rightcall.core.event_loop.shared_loop import CLOSING_S, TASKS, LoopCall, SharedLoop

_threads = DaemonThreads("rightcall-work")


async def in_thread(
    function: Callable[[], Any],
    *,
    when_late: Callable[[Any, BaseException | None], None] | None = None,
    cancel: bool = False,
    thread: OneThread | None = None,
) -> Any:
    """Run a blocking function in a thread and wait for it. Async code that it runs is run by the shared event loop.

    A thread cannot be stopped: when waiting is cancelled it keeps running, and `when_late` is called in it
    with the result or the exception that came too late. With `cancel` the async code that it waits for is cancelled.
    A `thread` that is not waited for any more is left.
    """
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    ended, loop = _Ended(when_late), BorrowedLoop()
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


T = TypeVar("T")

_AbstractLoop: Any = asyncio.AbstractEventLoop  # what it does not hand over raises NotImplementedError
_here = threading.local()
_patched = threading.Lock()
_users = 0
_original_init: Any = None


class BorrowedLoop(_AbstractLoop):  # type: ignore[misc]
    """The event loop of one thread, for as long as one function runs there. The shared loop does its work."""

    def __init__(self) -> None:
        self._shared: SharedLoop | None = None
        self._call: LoopCall[Any] | None = None
        self._tasks: WeakSet[asyncio.Task[Any]] = WeakSet()
        self._ends: asyncio.Event | None = None
        self._branches: WeakSet[BorrowedLoop] = WeakSet()
        self._abandoned = self._closed = False

    def branch(self) -> BorrowedLoop:
        """A loop for `asyncio.run` in the same thread, which closes it."""
        loop = BorrowedLoop()
        self._branches.add(loop)
        return loop

    def abandon(self) -> None:
        """Cancel what runs here, from any thread: nobody waits for this thread any more."""
        self._abandoned = True
        if self._call is not None:
            self._call.cancel()
        for branch in list(self._branches):
            branch.abandon()

    def run_until_complete(self, future: Any) -> Any:
        if self._closed:
            raise RuntimeError("Event loop is closed")
        if asyncio.iscoroutine(future):
            return self._run(future, noted=True)
        return self._run(_result(future))

    def create_task(self, coro: Any, *, context: contextvars.Context | None = None, **options: Any) -> Any:
        own = contextvars.copy_context() if context is None else context
        own.run(TASKS.set, self._tasks)

        async def create() -> asyncio.Task[Any]:
            return asyncio.get_running_loop().create_task(coro, context=own, **options)

        return self._run(create())

    def run_forever(self) -> None:
        async def until_stopped() -> None:
            self._ends = asyncio.Event()
            await self._ends.wait()

        self._run(until_stopped())

    def stop(self) -> None:
        if self._ends is not None:
            self.call_soon_threadsafe(self._ends.set)

    def close(self) -> None:
        """Cancel the tasks that were started here; the shared loop stays open."""
        if self._closed:
            return
        if self._shared is not None and self._tasks:
            self._run(_cancel_tasks(self._tasks))
        self._closed = True

    def is_closed(self) -> bool:
        return self._closed

    def is_running(self) -> bool:
        return False  # it would be a running loop of this thread otherwise

    def get_debug(self) -> bool:
        return False

    def set_debug(self, enabled: bool) -> None:
        return

    async def shutdown_asyncgens(self) -> None:
        return

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109  asyncio's
        return

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> Any:
        return self._loop.call_soon_threadsafe(callback, *args, context=context)

    call_soon = call_soon_threadsafe

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:
        async def later() -> Any:
            return asyncio.get_running_loop().call_later(delay, callback, *args, context=context)

        return self._run(later())

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:
        return self.call_later(when - self.time(), callback, *args, context=context)

    def time(self) -> float:
        return self._loop.time()

    def create_future(self) -> Any:
        return self._loop.create_future()

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        async def start() -> Any:
            return asyncio.get_running_loop().run_in_executor(executor, func, *args)

        return self._run(start())

    def set_default_executor(self, executor: Any) -> None:
        return

    def get_exception_handler(self) -> Any:
        return self._loop.get_exception_handler()

    def set_exception_handler(self, handler: Any) -> None:
        return

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        self._loop.default_exception_handler(context)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self._loop.call_exception_handler(context)

    def get_task_factory(self) -> Any:
        return None

    @property
    def _loop(self) -> asyncio.AbstractEventLoop:
        if self._shared is None:
            self._run(asyncio.sleep(0))
        assert self._shared is not None
        return self._shared.loop

    def _run(self, work: Coroutine[Any, Any, Any], *, noted: bool = False) -> Any:
        if self._abandoned:
            work.close()
            raise asyncio.CancelledError
        self._call = call = LoopCall(work, yields=True)
        if noted:
            call.context.run(TASKS.set, self._tasks)
        if self._abandoned:
            call.cancel()
        try:
            return run_call(call, self._shared)
        finally:
            self._call, self._shared = None, call.shared or self._shared


async def _result(future: Any) -> Any:
    try:
        return await future
    except asyncio.CancelledError:
        if not future.done():  # it is this wait that is cancelled
            future.cancel()
        raise


async def _cancel_tasks(tasks: WeakSet[asyncio.Task[Any]]) -> None:
    current = asyncio.current_task()
    rest = [task for task in tasks if task is not current and not task.done()]
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=CLOSING_S)


@contextlib.contextmanager
def lend_loop(loop: BorrowedLoop) -> Iterator[None]:
    """Let this thread, which has no running loop, use the shared one."""
    _here.loop = loop
    _patch(1)
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        _patch(-1)
        _here.loop = None


def _patch(users: int) -> None:
    """Let `asyncio.Runner`, and so `asyncio.run`, borrow in the threads that do, while there are any."""
    global _users, _original_init  # noqa: PLW0603  the class is global too
    with _patched:
        if not _users:
            _original_init = asyncio.Runner.__init__
            asyncio.Runner.__init__ = _init_with_loan  # type: ignore[method-assign]
        _users += users
        if not _users:
            asyncio.Runner.__init__ = _original_init  # type: ignore[method-assign]


def _init_with_loan(
    self: asyncio.Runner,
    *,
    debug: bool | None = None,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    if loop_factory is None and getattr(_here, "loop", None) is not None:
        loop_factory = _here.loop.branch
    _original_init(self, debug=debug, loop_factory=loop_factory)
