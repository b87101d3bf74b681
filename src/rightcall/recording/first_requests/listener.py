"""Where the hooks into HTTP libraries hand in the requests of trials.

A request outside the context of any trial is not touched: it may belong to another part of the process. An agent
whose own background threads make its requests has no digest in any baseline, and is therefore never captured.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Any

from rightcall.files.opened_files import PROGRAMS, StartedProgram
from rightcall.recording.first_requests.trial import TRIAL, FirstRequestReached, RefusedTrial, WatchedTrial
from rightcall.recording.hooks import HOOKS, RequestListener, SharedSetup, replaced


class FirstRequestListener(RequestListener):
    """Hands a request to the trial in whose context it is made."""

    def listens(self) -> bool:
        trial = TRIAL.get()
        return trial is not None and trial.waiting

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        if (trial := TRIAL.get()) is not None:
            trial.request(method, url, headers, body)

    def unreadable(self, method: str, url: str) -> None:
        if (trial := TRIAL.get()) is not None:
            trial.other_action(f"{method.upper()} with a body that is streamed")


def watch_requests() -> AbstractContextManager[None]:
    """While it is open, trials learn of the requests made in their context; the last one removes the hooks."""
    return _LISTENING.use()


def _listen() -> Callable[[], None]:
    guard_actions()
    stack = ExitStack()
    listener = FirstRequestListener()
    HOOKS.add(listener)
    stack.callback(HOOKS.remove, listener)
    stack.enter_context(follow_into_threads())
    return stack.close


_LISTENING = SharedSetup(_listen)


_CAPTURES = FirstRequestListener()
_lock = threading.Lock()
_hooked = _guarded = False


@contextmanager
def capture_requests() -> Iterator[None]:
    """While it is open, captured trials are stopped at their first request, and nothing is sent.

    The hooks stay afterwards, because a thread of a captured trial may still be running: they do nothing but refuse
    what such a thread sends. Missing keys are not replaced by placeholders, as they are in replay: SDKs that export
    traces in the background would begin to, with the placeholder.
    """
    global _hooked  # noqa: PLW0603  the hooks are of this process too
    with _lock:
        if not _hooked:
            HOOKS.add(_CAPTURES, eager=True)
            _hooked = True
    guard_actions()
    with follow_into_threads():
        yield


@contextmanager
def refuse_requests() -> Iterator[None]:
    """Inside the block, code of this context reaches nothing outside of the process; what it tries raises."""
    guard_actions()
    token = TRIAL.set(RefusedTrial())
    try:
        with watch_requests():
            yield
    finally:
        TRIAL.reset(token)


ACTIONS = {
    "socket.connect": "it connects to a service",
    "socket.sendto": "it sends to a service",
    "subprocess.Popen": "it starts a program",
    "os.system": "it starts a program",
    "os.exec": "it starts a program",
    "os.posix_spawn": "it starts a program",
    "os.spawn": "it starts a program",
    "os.fork": "it starts a program",
    "os.forkpty": "it starts a program",
}


def guard_actions() -> None:
    """Install an audit hook, which Python never removes; it does nothing outside a captured trial.

    Requests through HTTP libraries are refused by their hooks; this sees what an agent does without them: a database, a
    socket, a program. Files are not guarded: importing a module writes some, and a trial that is run writes the same.
    """
    global _guarded  # noqa: PLW0603  audit hooks are of this process too
    with _lock:
        if not _guarded:
            sys.addaudithook(_audit)
            _guarded = True


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.getaddrinfo":
        trial = TRIAL.get()
        if isinstance(trial, WatchedTrial) and isinstance(args[0], str):
            trial.look_up(args[0], args[1])
    elif event in ACTIONS:
        trial = TRIAL.get()
        if trial is None or not trial.capturing:
            return
        if event not in PROGRAMS or not StartedProgram.of(event, args).about_the_machine:
            trial.other_action(ACTIONS[event])


_POOL = "concurrent.futures.thread"


def follow_into_threads() -> AbstractContextManager[None]:
    """Inside the block every function that a trial gives to a pool or a thread belongs to the trial.

    Python starts threads without the context of their creator. Only the trial is carried along: an agent's own
    variables stay as Python leaves them. Daemon threads are not followed: SDKs start them once, during some trial, to
    export traces for the rest of the process.
    """
    return _FOLLOWED.use()


def _follow() -> Callable[[], None]:
    stack = ExitStack()
    stack.callback(replaced(ThreadPoolExecutor, "submit", _submit_with_trial))
    stack.callback(replaced(threading.Thread, "start", _start_with_trial))
    return stack.close


_FOLLOWED = SharedSetup(_follow)


def _submit_with_trial(submit: Any) -> Any:
    def follow(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **words: Any) -> Any:
        return submit(self, fn if TRIAL.get() is None else _in_trial(fn), *args, **words)

    return follow


def _start_with_trial(start: Any) -> Any:
    def follow(self: threading.Thread) -> None:
        # A pool's threads outlive the trial that started them; what they run is followed one by one.
        of_pool = getattr(getattr(self, "_target", None), "__module__", "") == _POOL
        if TRIAL.get() is not None and not self.daemon and not of_pool:
            self.run = _end_quietly(_in_trial(self.run))  # type: ignore[method-assign]
        start(self)

    return follow


def _end_quietly(run: Callable[[], None]) -> Callable[[], None]:
    def quiet() -> None:
        with suppress(FirstRequestReached):  # nobody waits for it: Python would print it
            run()

    return quiet


def _in_trial(function: Callable[..., Any]) -> Callable[..., Any]:
    trial = TRIAL.get()

    def run(*args: Any, **words: Any) -> Any:
        token = TRIAL.set(trial)
        try:
            return function(*args, **words)
        finally:
            TRIAL.reset(token)

    return run
