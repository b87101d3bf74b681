"""Threads for blocking agents, tools and metrics. They are reused and never prevent the process from exiting.

The pool of the standard library joins its threads at exit, so that one hanging tool keeps the whole process from
ending. These are daemons.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from functools import partialmethod
from queue import SimpleQueue
from typing import Any

from rightcall.core.errors import contain_exits
from rightcall.core.event_loop.kept_loop import CLOSING_S, Call, current_call

Job = Callable[[], None]
Outcome = tuple[Any, Exception | None]

_idle: dict[int, deque[SimpleQueue[Job]]] = {}
"""What the idle threads of each process wait for: those of its parent are not there after a fork."""

local = threading.local()
"""`lent` is the loop that waits for this thread."""


def run_in_thread(job: Job) -> None:
    """Run a blocking function in the background; it is not awaited, and must not raise."""
    idle = _idle.setdefault(os.getpid(), deque())
    try:
        jobs = idle.pop()
    except IndexError:
        jobs = SimpleQueue()
        threading.Thread(target=_work, args=(jobs, idle), name="rightcall-work", daemon=True).start()
    jobs.put(job)


def _work(jobs: SimpleQueue[Job], idle: deque[SimpleQueue[Job]]) -> None:
    # Python has noted that it need not wait for this thread. Those that code under test starts here inherit the
    # attribute; of those for which a program waits, first requests are captured, as elsewhere.
    threading.current_thread()._daemonic = False  # type: ignore[attr-defined]
    while True:
        jobs.get()()
        idle.append(jobs)


async def in_thread(
    function: Callable[[], Any],
    *,
    when_late: Callable[[Any, BaseException | None], None] | None = None,
    cancel: bool = False,
    submit: Callable[[Job], None] = run_in_thread,
) -> Any:
    """Run a blocking function in a thread and wait for it. Work for `asyncio.get_event_loop()` is done by this loop.

    A thread cannot be stopped: when waiting is cancelled it keeps running, and `when_late` is called in it
    with the result or the exception that came too late. With `cancel` that work is cancelled too.
    """
    loop = LentLoop(asyncio.get_running_loop())
    outcome: Future[Outcome] = Future()
    outcome.set_running_or_notify_cancel()  # it cannot be cancelled
    submit(_job(function, outcome, loop))
    try:
        result, failure = await asyncio.wrap_future(outcome)
    except asyncio.CancelledError:
        if when_late is not None:
            outcome.add_done_callback(lambda ended: when_late(*ended.result()))
        if cancel:
            loop.abandon()
        raise
    try:
        if failure is not None:
            raise failure
        return result
    finally:
        del failure, outcome  # the traceback refers to this frame


def _job(function: Callable[[], Any], outcome: Future[Outcome], loop: LentLoop) -> Job:
    """The function in the caller's context. Only the job refers to that: it ends when the job does."""
    context = contextvars.copy_context()

    def job() -> None:
        result: Any = None
        failure: Exception | None = None
        try:
            with contain_exits(in_thread=True), loop.lend():
                result = context.run(function)
        except Exception as error:
            failure = error
        outcome.set_result((result, failure))

    return job


class TrialThread:
    """Where the blocking functions of one trial run: what one of them opens may be usable only in its own thread.

    With `of_loop` that is the thread of the event loop, in which an async agent runs.
    """

    def __init__(self, *, of_loop: bool) -> None:
        self._of_loop = of_loop
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._left = False
        if not of_loop:
            run_in_thread(self._work)

    async def run(self, function: Callable[[], Any]) -> Any:
        if self._of_loop:
            with contain_exits():
                return function()
        try:
            return await in_thread(function, cancel=True, submit=self._submit)
        except asyncio.CancelledError:
            self.leave()
            raise

    def leave(self) -> None:
        """The thread ends after the job that it runs, which may never end; further jobs run in other threads."""
        self._left = True
        self._jobs.put(None)

    def _submit(self, job: Job) -> None:
        (run_in_thread if self._left else self._jobs.put)(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


_AbstractLoop: Any = asyncio.AbstractEventLoop  # what it does not offer raises NotImplementedError


class LentLoop(_AbstractLoop):  # type: ignore[misc]
    """The event loop of a thread in which code under test runs: its work is done by the loop that waits for the thread.

    `asyncio.get_event_loop()` gives it, so that `run_sync` of frameworks finds the clients of earlier trials.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.create_future = loop.create_future
        self.call_soon_threadsafe = loop.call_soon_threadsafe
        self._within = current_call.get()
        self._call: Call[Any] | None = None
        self._abandoned = self._closed = False

    @contextlib.contextmanager
    def lend(self) -> Iterator[None]:
        """Let this thread, which has no running loop, use it."""
        local.lent = self
        asyncio.set_event_loop(self)
        try:
            yield
        finally:
            asyncio.set_event_loop(None)
            local.lent = None

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What a coroutine gives, in the context of this thread; it ends with the call that runs this code."""
        call = Call(work)
        ended = threading.Event()
        outcome: list[tuple[Any, BaseException | None]] = []

        async def run() -> None:
            try:
                outcome.append((await call.run(), None))
            except BaseException as error:  # what would end the process is raised in the thread that waits
                outcome.append((None, error))

        def end(task: asyncio.Task[None] | None = None) -> None:
            call.drop()
            ended.set()

        def start() -> None:
            if self._is_over():
                end()
                return
            task = self._loop.create_task(run())
            task.add_done_callback(end)
            if self._within is not None:
                self._within.own(task)

        if self._is_over():
            work.close()
            raise asyncio.CancelledError
        self._call = call
        self._loop.call_soon_threadsafe(start)
        if self._abandoned:
            call.cancel()
        while not ended.wait(CLOSING_S) and not self._is_over():
            pass
        self._call = None
        result, error = outcome.pop() if outcome else (None, asyncio.CancelledError())
        try:
            if error is not None:
                raise error
            return result
        finally:
            del error  # its traceback refers to this frame

    def _is_over(self) -> bool:
        ended = self._within is not None and self._within.over
        return ended or self._abandoned or self._loop.is_closed()

    def abandon(self) -> None:
        """Cancel what runs here, from any thread: nobody waits for this thread any more."""
        self._abandoned = True
        if self._call is not None:
            self._call.cancel()

    def run_until_complete(self, future: Any) -> Any:
        if self._closed:
            raise RuntimeError("Event loop is closed")

        async def result() -> Any:
            return await future

        return self.wait_for(future if asyncio.iscoroutine(future) else result())

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

    def _on_loop(self, name: str, *args: Any, **options: Any) -> Any:
        async def call() -> Any:
            return getattr(self._loop, name)(*args, **options)

        return self.wait_for(call())

    call_soon = partialmethod(_on_loop, "call_soon")
    call_later = partialmethod(_on_loop, "call_later")
    create_task = partialmethod(_on_loop, "create_task")
    run_in_executor = partialmethod(_on_loop, "run_in_executor")
