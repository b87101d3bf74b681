"""Trials followed into threads, which Python starts without the context of their creator.

Only the trial is carried along, not the context: an agent's own variables stay as Python leaves them. Daemon threads
are not followed: SDKs start them once, during some trial, to export traces for the rest of the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from rightcall.recording.first_requests.trial import TRIAL, FirstRequestReached

_lock = threading.Lock()
_users = 0
_undo: list[Callable[[], None]] = []
_POOL = "concurrent.futures.thread"


@contextmanager
def follow_into_threads() -> Iterator[None]:
    """Inside the block every function that a trial gives to a pool or a thread belongs to the trial."""
    _follow(1)
    try:
        yield
    finally:
        _follow(-1)


def _follow(users: int) -> None:
    global _users  # noqa: PLW0603  the classes are global too
    with _lock:
        if not _users:
            _undo[:] = [
                _replace(ThreadPoolExecutor, "submit", _submit_with_trial),
                _replace(threading.Thread, "start", _start_with_trial),
            ]
        _users += users
        if not _users:
            for undo in _undo:
                undo()


def _replace(owner: type, name: str, following: Callable[[Any], Any]) -> Callable[[], None]:
    original = getattr(owner, name)
    follow = following(original)
    setattr(owner, name, follow)

    def undo() -> None:
        if (
            getattr(owner, name) is follow
        ):  # else somebody patched it meanwhile, and ours does nothing any more
            setattr(owner, name, original)

    return undo


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
