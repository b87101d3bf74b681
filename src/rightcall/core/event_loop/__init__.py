"""From async to sync: one event loop for all blocking calls of a process.

Clients of model providers keep their connections with the event loop that opened them, and so do agents with their
clients. If every blocking call had a loop for itself, the second one would find the connections of the first, whose
loop is closed. So there is one, which stays open until the process ends or `close` is called.

No thread is kept for it: whoever waits runs it. When several threads wait, one runs it for all, and another takes over
when that one has its result. Inside a running event loop (a notebook) a thread is started for that.

shared_loop      an event loop that several threads wait for
worker_threads   blocking code under test in threads, with that loop
daemon_threads   threads that never keep the process from exiting
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextvars import ContextVar, copy_context
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from rightcall.core.event_loop.daemon_threads import DaemonThreads
from rightcall.core.event_loop.shared_loop import LoopBusyError, LoopCall, SharedLoop, wait_for
from rightcall.core.operating_system import call_in_forks

P = ParamSpec("P")
T = TypeVar("T")

_lock = threading.Lock()
_loops: list[SharedLoop] = []
"""The first one is the loop of the process; the others are for calls that are made while it is blocked."""

_inherited: list[SharedLoop] = []
"""Loops of the parent of a forked process. To close or collect them would end the selectors of the parent's."""

_factory: list[Callable[[], asyncio.AbstractEventLoop]] = []
_prepared: list[bool] = []
_callers = DaemonThreads("rightcall-caller")
_blocked: ContextVar[frozenset[SharedLoop]] = ContextVar("blocked", default=frozenset())
"""Loops that wait for the current code, so that it must not wait for them."""


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives. It sees the context of its caller, on the event loop that all blocking calls share.

    Inside a running event loop, that loop stands still meanwhile, as with any other blocking call. The first Ctrl-C
    cancels the coroutine and raises `KeyboardInterrupt` once it has ended; the second does not wait for that.
    """
    return run_call(LoopCall(work))


def run_call(call: LoopCall[T], on: SharedLoop | None = None) -> T:
    """The same of a call, on the loop it belongs to if it belongs to one."""
    running = _current_loop()
    if running is None:
        _run(call, on)
    else:
        _run_in_thread(call, on, running)
    return call.result()


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """The same on a loop that ends with it, for code that an agent calls and that may block.

    The agent may be blocking the shared loop meanwhile, or be run by it and share it with other cases.
    """
    outcome: list[T] = []
    errors: list[BaseException] = []
    over = threading.Event()

    def run() -> None:
        try:
            with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
                outcome.append(runner.run(work))
        except BaseException as error:
            errors.append(error)
        finally:
            over.set()

    if _current_loop() is None:
        run()
    else:
        context = copy_context()
        _callers.submit(lambda: context.run(run))
        wait_for(over)
    if errors:
        raise errors[0]
    return outcome[0]


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


def _uvloop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def close(*, exiting: bool = False) -> None:
    """Cancel what still runs on the loops, and close them and their connections; the next call starts another.

    This is done when the process exits.
    """
    with _lock:
        loops = list(_loops)
        _loops.clear()
    for shared in loops:
        shared.close(exiting=exiting)


def _current_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _run(call: LoopCall[Any], on: SharedLoop | None) -> None:
    """Wait for a call in this thread, which may run the loop."""
    if on is not None:
        on.finish(call, patient=True)
        return
    for shared in _candidates(call.context.get(_blocked, frozenset())):
        try:
            shared.finish(call)
        except LoopBusyError:
            continue
        return


def _candidates(blocked: frozenset[SharedLoop]) -> Iterator[SharedLoop]:
    tried = set(blocked)
    while True:
        with _lock:
            free = next((shared for shared in _loops if shared not in tried), None)
            if free is None:
                free = _start_loop()
        tried.add(free)
        yield free


def _start_loop() -> SharedLoop:
    if not _prepared:
        _prepared.append(True)
        atexit.register(close, exiting=True)
        call_in_forks(_forget)
    shared = SharedLoop((_factory or [asyncio.new_event_loop])[0]())
    _loops.append(shared)
    return shared


def _forget() -> None:
    """In a forked process: its parent's loops are not its own."""
    global _lock  # noqa: PLW0603  another thread of the parent may have held it
    _lock = threading.Lock()
    _inherited.extend(_loops)
    _loops.clear()


def _run_in_thread(call: LoopCall[Any], on: SharedLoop | None, running: asyncio.AbstractEventLoop) -> None:
    """Wait for a call in another thread: this one has a running loop, and cannot run two."""
    blocked = call.context.get(_blocked, frozenset()) | {s for s in list(_loops) if s.loop is running}
    call.context.run(_blocked.set, blocked)
    over = threading.Event()

    def job() -> None:
        try:
            call.context.copy().run(_run, call, on)
        except BaseException as error:
            call.break_off(error)
        finally:
            over.set()

    _callers.submit(job)
    try:
        wait_for(over)
    except KeyboardInterrupt:
        call.cancel()
        wait_for(over)
        raise
