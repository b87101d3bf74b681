"""From sync to async: each thread that makes blocking calls keeps one event loop for them.

Clients of model providers keep their connections with the event loop that opened them, and so do agents with their
clients. A loop for each call would be closed when the next call finds the connections. So a thread keeps its loop as
long as it lives, and runs it itself: a debugger, Ctrl-C and objects that belong to the thread work as with
`asyncio.run`. Inside a running event loop (a notebook) another thread runs the kept loop, which is idle then.

kept_loop        the loop of a thread, and a call on it
worker_threads   blocking code under test in threads, with the loop that waits for it
daemon_threads   threads that never keep the process from exiting
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from rightcall.core.event_loop.daemon_threads import DaemonThreads
from rightcall.core.event_loop.kept_loop import (
    Call,
    KeptLoop,
    close_loop,
    idle_loop,
    local_loops,
    running_loop,
    wait_for,
)

P = ParamSpec("P")
T = TypeVar("T")

_factory: list[Callable[[], asyncio.AbstractEventLoop]] = []
_helpers = DaemonThreads("rightcall-caller")


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives. It sees the context of its caller, on the event loop that this thread keeps.

    Inside a running event loop, that loop stands still meanwhile, as with any other blocking call. The first Ctrl-C
    cancels the coroutine and raises `KeyboardInterrupt` once it has ended; the second does not wait for that.
    """
    lent = local_loops.lent
    if lent is not None:
        result: T = lent.wait_for(work)
        return result
    call = Call(work)
    kept = idle_loop(_new_loop)
    if running_loop() is None:
        kept.run(call)
    else:
        _run_in_helper(kept, call)
    return call.result()


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """The same on a loop that ends with it, for code that an agent calls and that may block.

    The agent may be blocking the kept loop meanwhile, or be run by it and share it with other cases.
    """
    call = Call(work)
    apart = KeptLoop(asyncio.new_event_loop())

    def run() -> None:
        try:
            apart.run(call)
        finally:
            apart.close()

    if running_loop() is None:
        run()
    else:
        _wait_in_helper(run, call)
    return call.result()


def as_blocking(name: str, work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function under another name, for programs without async."""

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_blocking(work(*args, **kwargs))

    call.__name__ = call.__qualname__ = name
    return call


def prefer_uvloop() -> None:
    """Use uvloop, if it is installed, from the next loop on: it saves about a quarter of the CPU time of a request."""
    _factory[:] = [_uvloop]


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop in the main thread alone: it refuses to start programs from two threads at the same time."""
    if _factory and threading.current_thread() is threading.main_thread():
        return _factory[0]()
    return asyncio.new_event_loop()


def _uvloop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def close() -> None:
    """Close the loops that this thread keeps, for tests; the next call starts another."""
    while local_loops.kept:
        close_loop(local_loops.kept.pop())


def _run_in_helper(kept: KeptLoop, call: Call[Any]) -> None:
    """Run the loop of this thread in another one: this one has a running loop, and cannot run two."""
    _wait_in_helper(lambda: kept.run(call), call)


def _wait_in_helper(run: Callable[[], None], call: Call[Any]) -> None:
    over = threading.Event()
    context = copy_context()

    def job() -> None:
        try:
            context.run(run)
        except BaseException as error:
            call.break_off(error)
        finally:
            over.set()

    _helpers.submit(job)
    try:
        wait_for(over)
    except KeyboardInterrupt:
        call.cancel()
        wait_for(over)
        raise
