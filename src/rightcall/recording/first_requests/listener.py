"""Where the hooks into HTTP libraries hand in the requests of trials.

A request outside the context of any trial is not touched: it may belong to another part of the process. An agent
whose own background threads make its requests has no digest in any baseline, and is therefore never captured.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rightcall.recording.first_requests.action_guard import guard_actions
from rightcall.recording.first_requests.followed_threads import follow_into_threads
from rightcall.recording.first_requests.trial import TRIAL
from rightcall.recording.hooks import HOOKS


class FirstRequestListener:
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


@contextmanager
def watch_requests() -> Iterator[None]:
    """While it is open, trials learn of the requests made in their context."""
    listener = FirstRequestListener()
    HOOKS.add(listener)
    try:
        with follow_into_threads():
            yield
    finally:
        HOOKS.remove(listener)


_CAPTURES = FirstRequestListener()
_lock = threading.Lock()
_guarded = False


@contextmanager
def capture_requests() -> Iterator[None]:
    """While it is open, captured trials are stopped at their first request, and nothing is sent.

    The hooks stay afterwards, because a thread of a captured trial may still be running: they do nothing but refuse
    what such a thread sends. Missing keys are not replaced by placeholders, as they are in replay: SDKs that export
    traces in the background would begin to, with the placeholder.
    """
    global _guarded  # noqa: PLW0603  the hooks are of this process too
    with _lock:
        if not _guarded:
            HOOKS.add(_CAPTURES, eager=True)
            guard_actions()
            _guarded = True
    with follow_into_threads():
        yield
