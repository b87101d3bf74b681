"""The event loop that a thread keeps for its blocking calls."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import inspect
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")

CLOSING_S = 2.0
THREADS = 64
"""Threads of `asyncio.to_thread`. The default, a few more than the processor has cores, would let calls inside calls
wait for each other."""

current_call: contextvars.ContextVar[Call[Any] | None] = contextvars.ContextVar("call", default=None)
"""The blocking call for which the current code runs."""


class Call(Generic[T]):
    """A coroutine that a thread waits for, and the tasks that end with it."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self.over = False
        self._work = work
        self.task: asyncio.Task[Any] | None = None
        self._cancelled = False
        self._owned: set[asyncio.Task[Any]] = set()

    async def run(self) -> T:
        self.task = asyncio.current_task()
        if self._cancelled:
            self.drop()
            raise asyncio.CancelledError
        current_call.set(self)
        try:
            return await self._work
        finally:
            self.over = True
            await _end(self._owned)

    def cancel(self) -> None:
        """Cancel it, from any thread."""
        self._cancelled = True
        if self.task is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self.task.get_loop().call_soon_threadsafe(self.task.cancel)

    def drop(self) -> None:
        """End it if it has not begun: Python would warn of a coroutine that never ran."""
        if inspect.getcoroutinestate(self._work) == inspect.CORO_CREATED:
            self._cancelled = True
            self._work.close()

    def own(self, task: asyncio.Task[Any]) -> None:
        """Cancel a task when this call ends."""
        self._owned.add(task)
        task.add_done_callback(self._owned.discard)


def end_with_call(task: asyncio.Task[Any]) -> None:
    """Cancel a task when the blocking call ends in which it was started: nobody waits for its effects any more.

    In async programs it ends with their event loop.
    """
    if (call := current_call.get()) is not None:
        call.own(task)


class KeptLoop:
    """A loop that stays open between calls, which one thread at a time runs."""

    def __init__(self, factory: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self._runner = asyncio.Runner(loop_factory=factory)
        self.loop = self._runner.get_loop()
        self.process = os.getpid()
        self._threads = ThreadPoolExecutor(THREADS, "rightcall-blocking")
        self._signal_errors: list[BaseException] = []
        self.loop.set_default_executor(self._threads)
        self.loop.set_exception_handler(partial(_on_error, self._signal_errors))

    def run(self, call: Call[T]) -> T:
        """What a call gives. Ctrl-C, a signal handler that raises and a task that ends the process cancel it first, and
        are raised when it has ended; a second Ctrl-C does not wait for that."""
        try:
            return self._runner.run(call.run(), context=contextvars.copy_context())
        except BaseException as error:
            task = call.task
            leaves = isinstance(error, KeyboardInterrupt) and task is not None and task.cancelling()
            if task is not None and not task.done() and not leaves:
                task.cancel()
                with contextlib.suppress(Exception, asyncio.CancelledError):
                    self.loop.run_until_complete(task)
            raise
        finally:
            call.drop()
            if self._signal_errors:
                raise self._signal_errors.pop() from None

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
        await _end(asyncio.all_tasks() - {asyncio.current_task()})
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.loop.shutdown_asyncgens(), CLOSING_S)
        for transport in list(getattr(self.loop, "_transports", {}).values()):  # of pooled clients
            transport.abort()
        await asyncio.sleep(0)


async def _end(tasks: set[Any]) -> None:
    rest = [task for task in tasks if not task.done()]
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=CLOSING_S)


_open: dict[KeptLoop, threading.Thread] = {}
"""The loops of all threads. In a forked process those of the parent stay here: to close them, or to let them be
collected, would end the selectors of the parent's."""


def idle_loop(factory: Callable[[], asyncio.AbstractEventLoop]) -> KeptLoop:
    """A loop of this thread that is not running. The first one serves all calls but those made inside it."""
    thread = threading.current_thread()
    for kept, owner in list(_open.items()):
        if owner is thread and kept.process == os.getpid() and not kept.loop.is_running():
            return kept
    if not _open:
        atexit.register(close_loops, lambda owner: True)
    if running_loop() is None:
        close_loops(lambda owner: not owner.is_alive())
    kept = KeptLoop(factory)
    _open[kept] = thread
    return kept


def close_loops(chosen: Callable[[threading.Thread], bool]) -> None:
    """Close the loops of these threads; another thread may be doing the same, and those of a parent stay open."""
    for kept, owner in list(_open.items()):
        if chosen(owner) and kept.process == os.getpid() and _open.pop(kept, None) is not None:
            kept.close()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The one of this thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


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


def _raised_by_signal_handler(error: BaseException) -> bool:
    installed = [signal.getsignal(number) for number in signal.valid_signals()]
    handlers = {getattr(handler, "__code__", None) for handler in installed}
    place = error.__traceback__
    while place is not None and place.tb_frame.f_code not in handlers:
        place = place.tb_next
    return place is not None
