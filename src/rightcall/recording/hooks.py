"""Hooks into the HTTP libraries that agents use, while somebody listens.

A library is hooked at its lowest layer that still has whole requests, so that every SDK on top of it is
covered. If it is already patched (vcrpy, respx), it is left alone, with a warning. There is one set of hooks in a
process, whatever number of sessions listen: the first listener installs them, the last one removes them.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Protocol, Self

from rightcall.recording.case import PendingReply
from rightcall.recording.late_imports import LateImports
from rightcall.recording.library import Recordings
from rightcall.recording.listener import Listener, ReplayedReply
from rightcall.recording.placeholder_keys import placeholder_keys

LIBRARIES = {
    "httpx": "httpx_hook",
    "httpx2": "httpx_hook",
    "aiohttp": "aiohttp_hook",
    "urllib3": "urllib3_hook",
}
"""Each library by the name it is imported by, and the file that hooks it."""


class RequestListener(Protocol):
    """Called before a request is sent, in the agent's own context."""

    def listens(self) -> bool:
        """Whether `request` must be called for a request made here and now. Reading its body is not free."""
        ...

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> ReplayedReply | PendingReply | None:
        """A reply to return, a pending one to fill, or None to ask the next listener; raises to refuse."""
        ...

    def unreadable(self, method: str, url: str) -> None:
        """The same for a request whose body can be read only once; raises to refuse."""
        ...


class RequestHooks:
    """The hooks of this process and their listeners; the one added last is asked first.

    Libraries that are imported later are hooked as soon as they are. `eager` imports all that are installed.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._listeners: tuple[RequestListener, ...] = ()
        self._undo: dict[str, list[Callable[[], None]]] = {}
        self._late = LateImports(LIBRARIES, self._install)

    def add(self, listener: RequestListener, *, eager: bool = False) -> None:
        with self._lock:
            self._listeners = (listener, *self._listeners)
            self._late.watch()
        for library in LIBRARIES:
            if library in sys.modules or (eager and find_spec(library) is not None):
                self._install(library)

    def remove(self, listener: RequestListener) -> None:
        with self._lock:
            kept = list(self._listeners)
            kept.remove(listener)
            self._listeners = tuple(kept)
            if not kept:
                self._late.stop()
                for undo in [undo for undoes in self._undo.values() for undo in undoes]:
                    undo()
                self._undo.clear()

    def listens(self) -> bool:
        return any(listener.listens() for listener in self._listeners)

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> ReplayedReply | PendingReply | None:
        for listener in self._listeners:
            reply = listener.request(method, url, headers, body) if listener.listens() else None
            if reply is not None:
                return reply
        return None

    def unreadable(self, method: str, url: str) -> None:
        for listener in self._listeners:
            if listener.listens():
                listener.unreadable(method, url)

    def _install(self, library: str) -> None:
        # Imported without the lock: another thread may be importing the library, and wants the lock when it is done.
        module, hook = (
            import_module(library),
            import_module(f"rightcall.recording.{LIBRARIES[library]}"),
        )
        with self._lock:
            if library not in self._undo and self._listeners:
                self._undo[library] = hook.install(module, self)


HOOKS = RequestHooks()


class HttpHooks:
    """`with HttpHooks(recordings):` every request of an installed library goes through the recordings."""

    def __init__(self, recordings: Recordings) -> None:
        self._replaying = recordings.replays_only
        self._listener = Listener(recordings)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(placeholder_keys(self._replaying))
        HOOKS.add(self._listener, eager=True)
        self._stack.callback(HOOKS.remove, self._listener)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def patch_method(
    owner: Any, name: str, library: str, replacement: Callable[[Any], Any]
) -> list[Callable[[], None]]:
    """Replace a method with `replacement(original)`; returns the undo function."""
    original = getattr(owner, name)
    module = getattr(original, "__module__", "") or ""
    if module.partition(".")[0] != library and not module.startswith("rightcall."):
        warnings.warn(
            f"{library} is patched by {module}; its requests are neither recorded nor compared", stacklevel=3
        )
        return []
    setattr(owner, name, replacement(original))
    return [lambda: setattr(owner, name, original)]
