"""An event loop that several threads wait for: one of them runs it for all."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")

PATIENCE_S = 2.0
"""How long a loop may let a call wait before it begins: one that takes longer is blocked, perhaps by the caller."""

CLOSING_S = 2.0
THREADS = 64
"""Threads of `asyncio.to_thread`. The default, a few more than the processor has cores, would let calls inside calls
wait for each other."""

TASKS: contextvars.ContextVar[WeakSet[asyncio.Task[Any]] | None] = contextvars.ContextVar(
    "tasks", default=None
)
"""Where the tasks that the current code starts are noted."""

_call: contextvars.ContextVar[LoopCall[Any] | None] = contextvars.ContextVar("call", default=None)


class LoopBusyError(Exception):
    """The loop did not begin a call in time; the call can be made on another."""


class LoopCall(Generic[T]):
    """A coroutine that a thread waits for, in the context of that thread.

    One that `yields` gives way to others that could run the loop: a worker thread to the caller of `evaluate`, whose
    agent may have opened things that belong to that thread.
    """

    def __init__(self, work: Coroutine[Any, Any, T], *, yields: bool = False, closes: bool = False) -> None:
        self.work, self.yields, self.closes = work, yields, closes
        self.context = contextvars.copy_context()
        self.begun = self.done = self.interrupted = False
        self.shared: SharedLoop | None = None
        self.short_lived: set[asyncio.Task[Any]] = set()
        self._outcome: list[T] = []
        self._error: BaseException | None = None
        self._task: asyncio.Task[None] | None = None
        self._cancelled = False

    def result(self) -> T:
        """What the coroutine gave; raises what it raised."""
        error, self._error = self._error, None
        if error is None and self._outcome:
            return self._outcome[0]
        try:
            if self.interrupted and (error is None or isinstance(error, asyncio.CancelledError)):
                raise KeyboardInterrupt
            raise error or asyncio.CancelledError
        finally:
            del error  # its traceback refers to this frame

    def start(self, loop: asyncio.AbstractEventLoop, ended: Callable[[asyncio.Task[None]], None]) -> None:
        self.context.run(_call.set, self)
        self._task = loop.create_task(self._run(), context=self.context)
        self._task.add_done_callback(ended)
        if self._cancelled:
            self._task.cancel()

    def cancel(self) -> None:
        """Cancel it, from any thread."""
        self._cancelled = True
        if self._task is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def break_off(self, error: BaseException) -> None:
        """It could not be waited for."""
        if not self.done and self._error is None:
            self._error = error

    def drop(self) -> None:
        """Forget a coroutine that never began; Python would warn of it."""
        if not self._outcome and self._error is None:
            self.work.close()

    async def _run(self) -> None:
        # What would end the process is raised by `result`, in the thread that waits, not in the one that runs the loop.
        try:
            self._outcome.append(await self.work)
        except BaseException as error:
            self._error = error
        finally:
            rest = [task for task in self.short_lived if not task.done()]
            for task in rest:
                task.cancel()
            if rest:
                await asyncio.wait(rest, timeout=CLOSING_S)


def end_with_call(task: asyncio.Task[Any]) -> None:
    """Cancel a task when the blocking call ends in which it was started: nobody waits for its effects any more.

    In async programs it ends with their event loop.
    """
    call = _call.get()
    if call is not None:
        call.short_lived.add(task)
        task.add_done_callback(call.short_lived.discard)


class SharedLoop:
    """A loop that stays open between calls, run by one of the threads that wait for it.

    `_lock` guards everything here. `_calls` are those that threads wait for, in the order of their arrival; `_driver`
    is the one whose thread runs the loop. A thread sleeps only in `_take_turn`, on a condition of that lock, while its
    call has not ended and it is not its turn to run the loop. Two things change that, and both notify it with the lock
    held: its call ends (`_note_end`), or the loop is free and its call is the next (`_pass_on`). So no thread misses
    its turn, and as long as calls are waited for, a thread runs the loop or has been woken to do so.

    Once `_closing`, no call enters. Those that are in are cancelled, and who leaves last closes the loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        loop.set_task_factory(_note_task)  # type: ignore[arg-type]  # its type has no options
        self._threads = ThreadPoolExecutor(THREADS, "rightcall-blocking")
        loop.set_default_executor(self._threads)
        self._lock = threading.RLock()  # what is garbage-collected meanwhile may call
        self._calls: dict[LoopCall[Any], threading.Condition] = {}
        self._driver: LoopCall[Any] | None = None
        self._closing = self._exiting = False
        self._closed = threading.Event()

    def finish(self, call: LoopCall[Any], *, patient: bool = False) -> None:
        """Wait until a call has ended, running the loop unless another thread does.

        `LoopBusyError` unless it is `patient`, when the loop is closed or the thread that runs it is blocked.
        """
        self._enter(call, patient)
        self._wait(call, patient)

    def _wait(self, call: LoopCall[Any], patient: bool) -> None:
        stopped: BaseException | None = None
        try:
            while not call.done:
                try:
                    if self._take_turn(call, patient):
                        self._drive(call)
                except LoopBusyError:
                    raise
                except (
                    BaseException
                ) as error:  # Ctrl-C, or a task of the code under test that ends the process
                    if call.interrupted:  # its cancellation is carried out when the loop runs again
                        raise
                    call.interrupted, stopped = True, error
                    call.cancel()
        finally:
            self._leave(call)
        if stopped is not None:
            raise stopped
        if self._exiting and not call.closes:
            threading.Event().wait()  # a daemon thread, whose caller would print that it has been cancelled

    def close(self, *, exiting: bool = False) -> None:
        """Cancel all tasks and close the loop; if it is blocked, it is closed when it no longer is."""
        with self._lock:
            if self._closing:
                return
            self._closing, self._exiting = True, exiting
            end = LoopCall(self._end(), closes=True)
            self._enter(
                end, patient=False
            )  # in the same step: who leaves last before it would close the loop
        try:
            self._wait(end, patient=False)
        except LoopBusyError:
            end.drop()
        else:
            self._closed.wait(CLOSING_S)  # for another thread that runs it, and for what resists cancellation
        self._threads.shutdown(wait=False)

    async def _end(self) -> None:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=CLOSING_S)
        await self.loop.shutdown_asyncgens()
        for transport in list(getattr(self.loop, "_transports", {}).values()):  # of pooled clients
            transport.abort()
        await asyncio.sleep(0)

    def _enter(self, call: LoopCall[Any], patient: bool) -> None:
        with self._lock:
            if not self._closing or call.closes:
                self._calls[call] = threading.Condition(self._lock)
                if self._driver is not None:
                    self.loop.call_soon_threadsafe(self._begin, call)
                return
        if not patient:
            raise LoopBusyError
        call.drop()
        raise RuntimeError("Event loop is closed")

    def _take_turn(self, call: LoopCall[Any], patient: bool) -> bool:
        """Wait until a call has ended, or until it is its turn to run the loop: true."""
        until = time.monotonic() + PATIENCE_S
        with self._lock:
            while not call.done:
                if self._driver is call or (self._driver is None and self._next() is call):
                    self._driver = call
                    for waiting_call in self._calls:
                        if not waiting_call.begun:
                            self.loop.call_soon_threadsafe(self._begin, waiting_call)
                    return True
                left = None if patient or call.begun else until - time.monotonic()
                if left is not None and left <= 0:
                    del self._calls[call]
                    raise LoopBusyError
                self._calls[call].wait(_interruptible(left))
        return False

    def _next(self) -> LoopCall[Any] | None:
        """Whose turn it is to run the loop: the caller that waits the longest; a worker thread if there is none."""
        callers = (call for call in self._calls if not call.yields)
        return next(callers, next(iter(self._calls), None))

    def _drive(self, call: LoopCall[Any]) -> None:
        try:
            if threading.current_thread() is threading.main_thread():
                with _wake_on_signals(self.loop), _ctrl_c(call):
                    self.loop.run_forever()
            else:
                self.loop.run_forever()
        finally:
            with self._lock:
                self._driver = None
                self._pass_on()

    def _begin(self, call: LoopCall[Any]) -> None:
        """Start a call, in the loop."""
        with self._lock:
            if call.begun or call not in self._calls:  # it has been withdrawn
                return
            if self._driver is not None and self._driver.yields and not call.yields:
                self.loop.stop()  # a caller runs the loop next, and starts it
                return
            call.begun, call.shared = True, self
        call.start(self.loop, lambda task: self._note_end(call))

    def _note_end(self, call: LoopCall[Any]) -> None:
        call.drop()
        with self._lock:
            call.done = True
            if self._driver is call:
                self.loop.stop()
            turn = self._calls.pop(call, None)
            if turn is not None:
                turn.notify()

    def _leave(self, call: LoopCall[Any]) -> None:
        with self._lock:
            self._calls.pop(call, None)
            if self._driver is call:
                self._driver = None
            self._pass_on()

    def _pass_on(self) -> None:
        """Wake the thread whose turn it is to run the loop, if it is free; close it if that was the last."""
        if self._driver is not None:
            return
        heir = self._next()
        if heir is not None:
            self._calls[heir].notify()
        elif self._closing and not self.loop.is_closed():
            self.loop.close()
            self._closed.set()


def wait_for(event: threading.Event) -> None:
    """Wait so that Ctrl-C can interrupt it."""
    while not event.wait(_interruptible(None)):
        pass


def _interruptible(seconds: float | None) -> float | None:
    """How long to wait at once so that Ctrl-C is noticed.

    Only the main thread handles signals, and one that reaches another thread, or any on Windows, does not end its wait.
    """
    if threading.current_thread() is not threading.main_thread():
        return seconds
    return 0.1 if seconds is None else min(seconds, 0.1)


def _note_task(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **options: Any
) -> asyncio.Task[Any]:
    task = asyncio.Task(work, loop=loop, **options)
    context = options.get("context")
    noted = TASKS.get() if context is None else context.get(TASKS)
    if noted is not None:
        noted.add(task)
    return task


@contextlib.contextmanager
def _wake_on_signals(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Let signals wake the loop of the main thread, also those that reach another thread; uvloop does this itself."""
    pipe = getattr(loop, "_csock", None)
    if pipe is None:
        yield
        return
    before = signal.set_wakeup_fd(pipe.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)


@contextlib.contextmanager
def _ctrl_c(call: LoopCall[Any]) -> Iterator[None]:
    """The first Ctrl-C cancels the call, the second raises `KeyboardInterrupt` where it is.

    As `asyncio.run` does it, and only where nobody else handles Ctrl-C.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def on_signal(number: int, frame: Any) -> None:
        if call.interrupted:
            raise KeyboardInterrupt
        call.interrupted = True
        call.cancel()

    signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is on_signal:
            signal.signal(signal.SIGINT, signal.default_int_handler)
