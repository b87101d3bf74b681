"""From sync to async: each thread that makes blocking calls keeps one event loop for them.

Clients of model providers keep their connections with the event loop that opened them, and so do agents with their
clients. A loop for each call would be closed when the next call finds the connections. So a thread keeps its loop as
long as it lives, and runs it itself: a debugger, Ctrl-C and objects that belong to the thread work as with
`asyncio.run`. Inside a running event loop (a notebook) another thread runs the kept loop, which is idle then.

kept_loop        the loop of a thread, and a call on it
worker_threads   blocking code under test in threads, with the loop that waits for it
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextvars import copy_context
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from rightcall.core.event_loop.kept_loop import Call, KeptLoop, close_loops, idle_loop, running_loop
from rightcall.core.event_loop.worker_threads import local, run_in_thread

P = ParamSpec("P")
T = TypeVar("T")

_preferred: list[Callable[[], asyncio.AbstractEventLoop]] = []


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives. It sees the context of its caller, on the event loop that this thread keeps.

    Inside a running event loop, that loop stands still meanwhile, as with any other blocking call. The first Ctrl-C
    cancels the coroutine and raises `KeyboardInterrupt` once it has ended; the second does not wait for that.
    """
    if (lent := getattr(local, "lent", None)) is not None:
        result: T = lent.wait_for(work)
        return result
    return _wait(idle_loop(_new_loop).run, Call(work))


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """The same on a loop that ends with it, for code that an agent calls and that may block.

    The agent may be blocking the kept loop meanwhile, or be run by it and share it with other cases.
    """

    def run(call: Call[T]) -> T:
        apart = KeptLoop(asyncio.new_event_loop)
        try:
            return apart.run(call)
        finally:
            apart.close()

    return _wait(run, Call(work))


def as_blocking(name: str, work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function under another name, for programs without async."""

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_blocking(work(*args, **kwargs))

    call.__name__ = call.__qualname__ = name
    return call


def prefer_uvloop() -> None:
    """Use uvloop, if it is installed, from the next loop on: it saves about a quarter of the CPU time of a request."""
    with contextlib.suppress(ImportError):
        import uvloop

        _preferred[:] = [uvloop.new_event_loop]


def close() -> None:
    """Close the loops that this thread keeps, for tests; the next call starts another."""
    close_loops(lambda thread: thread is threading.current_thread())


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop in the main thread alone: it refuses to start programs from two threads at the same time."""
    if _preferred and threading.current_thread() is threading.main_thread():
        return _preferred[0]()
    return asyncio.new_event_loop()


def _wait(run: Callable[[Call[T]], T], call: Call[T]) -> T:
    """Run a call on its loop; in another thread if this one has a running loop, as it cannot run two."""
    if running_loop() is None:
        return run(call)
    outcome: Future[T] = Future()
    context = copy_context()

    def job() -> None:
        try:
            outcome.set_result(context.run(run, call))
        except BaseException as error:
            outcome.set_exception(error)

    run_in_thread(job)
    try:
        _wait_for(outcome)
    except KeyboardInterrupt:
        call.cancel()
        _wait_for(outcome)
        raise
    return outcome.result()


def _wait_for(outcome: Future[Any]) -> None:
    """Ctrl-C interrupts it: a signal that reaches another thread, or any on Windows, would not end a longer wait."""
    while not wait((outcome,), timeout=0.1).done:
        pass
