"""The event loop that a thread keeps for its blocking calls."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")

CLOSING_S = 2.0
THREADS = 64
"""Threads of `asyncio.to_thread`. The default, a few more than the processor has cores, would let calls inside calls
wait for each other."""

_call: contextvars.ContextVar[Call[Any] | None] = contextvars.ContextVar("call", default=None)


class Call(Generic[T]):
    """A coroutine that a thread waits for, in the context of that thread."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self.context = contextvars.copy_context()
        self.ended = threading.Event()
        self.interrupted = False
        self._work = work
        self._lock = threading.Lock()
        self._accepts = True
        self._arrivals: set[Call[Any]] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._outcome: list[T] = []
        self._error: BaseException | None = None
        self._task: asyncio.Task[None] | None = None
        self._cancelled = False

    def start(self, loop: asyncio.AbstractEventLoop) -> asyncio.Task[None]:
        self.context.run(_call.set, self)
        self._task = loop.create_task(self._run(), context=self.context)
        self._task.add_done_callback(self._finish)
        if self._cancelled:
            self._task.cancel()
        return self._task

    def cancel(self) -> None:
        """Cancel it, from any thread."""
        self._cancelled = True
        if self._task is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def break_off(self, error: BaseException) -> None:
        """It could not be waited for."""
        if not self.ended.is_set() and self._error is None:
            self._error = error

    def drop(self) -> None:
        """End it before it began. Python would warn of a coroutine that never ran."""
        self._work.close()
        self.ended.set()

    def result(self) -> T:
        """What the coroutine gave; raises what it raised."""
        error = self._error
        self._error = None
        if error is None and self._outcome:
            return self._outcome[0]
        try:
            if self.interrupted and (error is None or isinstance(error, asyncio.CancelledError)):
                raise KeyboardInterrupt
            raise error or asyncio.CancelledError
        finally:
            del error  # its traceback refers to this frame

    def hand_over(self, call: Call[Any], loop: asyncio.AbstractEventLoop) -> None:
        """Start a call of a worker thread, which ends with this one at the latest."""
        with self._lock:
            if self._accepts:
                self._arrivals.add(call)
                loop.call_soon_threadsafe(self._start, call, loop)
                return
        call.drop()

    def _start(self, call: Call[Any], loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            if call not in self._arrivals:
                return
            self._arrivals.remove(call)
        self.own(call.start(loop))

    def own(self, task: asyncio.Task[Any]) -> None:
        """Cancel a task when this call ends."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self) -> None:
        # What would end the process is raised by `result`, in the thread that waits, not in the one that runs the loop.
        try:
            self._outcome.append(await self._work)
        except BaseException as error:
            self._error = error
        finally:
            await self._end_tasks()

    async def _end_tasks(self) -> None:
        with self._lock:
            self._accepts = False
            late_calls = list(self._arrivals)
            self._arrivals.clear()
        for call in late_calls:
            call.drop()
        rest = [task for task in self._tasks if not task.done()]
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=CLOSING_S)

    def _finish(self, task: asyncio.Task[None]) -> None:
        if not self._outcome and self._error is None:
            self._work.close()  # it was cancelled before it began
        self.ended.set()


def current_call() -> Call[Any] | None:
    """The blocking call for which the current code runs."""
    return _call.get()


def end_with_call(task: asyncio.Task[Any]) -> None:
    """Cancel a task when the blocking call ends in which it was started: nobody waits for its effects any more.

    In async programs it ends with their event loop.
    """
    call = _call.get()
    if call is not None:
        call.own(task)


class KeptLoop:
    """A loop that stays open between calls, which one thread at a time runs."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.process = os.getpid()
        self._threads = ThreadPoolExecutor(THREADS, "rightcall-blocking")
        self._signal_errors: list[BaseException] = []
        loop.set_default_executor(self._threads)
        loop.set_exception_handler(partial(_on_error, self._signal_errors))

    def run(self, call: Call[Any]) -> None:
        """Run the loop until a call has ended."""
        loop = (
            self.loop
        )  # and not `self`: what the loop refers to would be collected, and closed, together with it
        call.start(loop).add_done_callback(lambda task: loop.stop())
        if threading.current_thread() is threading.main_thread():
            with _wake_on_signals(self.loop), _ctrl_c(call):
                self._run_until_ended(call)
        else:
            self._run_until_ended(call)

    def _run_until_ended(self, call: Call[Any]) -> None:
        """Ctrl-C, and a task that ends the process, cancel the call first, and are raised when it has ended."""
        stop: BaseException | None = None
        while not call.ended.is_set():
            try:
                self.loop.run_forever()
                if self._signal_errors:
                    raise self._signal_errors.pop()
            except BaseException as error:
                if stop is not None and isinstance(error, Exception):
                    raise stop from None  # a loop that could not start, without file descriptors, never will
                if call.interrupted or stop is not None:
                    raise
                stop = error
                call.cancel()
        if stop is not None:
            raise stop

    def close(self) -> None:
        """Cancel what still runs, and close the loop and its connections, within `CLOSING_S` for each of these."""
        if self.loop.is_closed() or self.loop.is_running():
            return
        try:
            self.loop.run_until_complete(self._end())
        finally:
            self.loop.close()
            self._threads.shutdown(wait=False)

    async def _end(self) -> None:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=CLOSING_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.loop.shutdown_asyncgens(), CLOSING_S)
        for transport in list(getattr(self.loop, "_transports", {}).values()):  # of pooled clients
            transport.abort()
        await asyncio.sleep(0)


def _on_error(
    signal_errors: list[BaseException], loop: asyncio.AbstractEventLoop, context: dict[str, Any]
) -> None:
    """What a signal handler raises inside a callback of the loop would be logged, and the wake-up lost."""
    error = context.get("exception")
    if error is not None and _raised_by_signal_handler(error):
        signal_errors.append(error)
        loop.stop()
    else:
        loop.default_exception_handler(context)


class WaitingLoop(Protocol):
    """The loop that waits for this thread."""

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any: ...


class _LocalLoops(threading.local):
    """The loops of one thread."""

    def __init__(self) -> None:
        self.kept: list[KeptLoop] = []
        self.lent: WaitingLoop | None = None


local_loops = _LocalLoops()
_open: dict[KeptLoop, threading.Thread] = {}
"""The loops of all threads. In a forked process those of the parent stay here: to close them, or to let them be
collected, would end the selectors of the parent's."""


def idle_loop(factory: Callable[[], asyncio.AbstractEventLoop]) -> KeptLoop:
    """A loop of this thread that is not running. The first one serves all calls but those made inside it."""
    local_loops.kept[:] = [kept for kept in local_loops.kept if kept.process == os.getpid()]
    for kept in local_loops.kept:
        if not kept.loop.is_running():
            return kept
    if not _open:
        atexit.register(_close_all)
    if running_loop() is None:
        _close_loops_of_ended_threads()
    kept = KeptLoop(factory())
    local_loops.kept.append(kept)
    _open[kept] = threading.current_thread()
    return kept


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The one of this thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _close_loops_of_ended_threads() -> None:
    for kept, thread in list(_open.items()):
        if not thread.is_alive():
            close_loop(kept)


def _close_all() -> None:
    for kept in list(_open):
        close_loop(kept)


def close_loop(kept: KeptLoop) -> None:
    """Close it, unless another thread does or it is that of a parent process."""
    if kept.process == os.getpid() and _open.pop(kept, None) is not None:
        kept.close()


def wait_for(event: threading.Event) -> None:
    """Wait so that Ctrl-C can interrupt it.

    Only the main thread handles signals, and one that reaches another thread, or any on Windows, does not end its wait.
    """
    seconds = 0.1 if threading.current_thread() is threading.main_thread() else None
    while not event.wait(seconds):
        pass


def _raised_by_signal_handler(error: BaseException) -> bool:
    handlers = {_code(signal.getsignal(number)) for number in signal.valid_signals()} - {None}
    place = error.__traceback__
    while place is not None:
        if place.tb_frame.f_code in handlers:
            return True
        place = place.tb_next
    return False


def _code(handler: Any) -> Any:
    function = getattr(handler, "func", handler)  # of a partial
    return getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)


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
def _ctrl_c(call: Call[Any]) -> Iterator[None]:
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
