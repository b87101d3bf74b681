"""Hooks into the HTTP libraries that agents use, while somebody listens.

A library is hooked at its lowest layer that still has whole requests, so that every SDK on top of it is
covered. If it is already patched (vcrpy, respx), it is left alone, with a warning. There is one set of hooks in a
process, whatever number of sessions listen: the first listener installs them, the last one removes them.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from itertools import chain
from types import ModuleType
from typing import Any, Protocol

from rightcall.recording.case import PendingReply, ReplayedReply


class LateImports(MetaPathFinder):
    """Calls `loaded(name)` after one of these modules was imported.

    Importing them beforehand would cost every run of a function a fifth of a second, whether it makes requests or not.
    """

    def __init__(self, names: Collection[str], loaded: Callable[[str], None]) -> None:
        self._names = frozenset(names)
        self._loaded = loaded
        self._inside = threading.local()

    def watch(self) -> None:
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def stop(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own spec, with a loader that reports; None for every other module."""
        if fullname not in self._names or getattr(self._inside, "looks", False):
            return None
        self._inside.looks = True
        try:
            spec = find_spec(fullname)
        finally:
            self._inside.looks = False
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            reporting: Any = _ReportingLoader(spec.loader, lambda: self._loaded(fullname))
            spec.loader = reporting
        return spec


class _ReportingLoader:
    """The loader of a module, which reports when the module is complete."""

    def __init__(self, loader: Any, loaded: Callable[[], None]) -> None:
        self._loader = loader
        self._report = loaded

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._report()


LIBRARIES = {
    "httpx": "hook_httpx",
    "httpx2": "hook_httpx",
    "aiohttp": "hook_aiohttp",
    "urllib3": "hook_urllib3",
}
"""Each library by the name it is imported by, and the function of `library_hooks` that hooks it."""


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

    def edit(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """The body that is sent instead; recordings and all others see that one."""
        return body


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
                for undo in list(chain.from_iterable(self._undo.values())):
                    undo()
                self._undo.clear()

    def listens(self) -> bool:
        return any(listener.listens() for listener in self._listeners)

    def edit(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> bytes:
        for listener in self._listeners:
            body = listener.edit(method, url, headers, body) if listener.listens() else body
        return body

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
        module = import_module(library)
        hook = getattr(import_module("rightcall.recording.library_hooks"), LIBRARIES[library])
        with self._lock:
            if library not in self._undo and self._listeners:
                self._undo[library] = hook(module, self)


HOOKS = RequestHooks()


class SharedSetup:
    """Something of the whole process, which its first user installs and its last one removes.

    `install` returns the function that removes it.
    """

    def __init__(self, install: Callable[[], Callable[[], None]]) -> None:
        self._install = install
        self._lock = threading.Lock()
        self._users = 0
        self._remove: Callable[[], None] = lambda: None

    def acquire(self) -> None:
        with self._lock:
            if not self._users:
                self._remove = self._install()
            self._users += 1

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._remove()

    @contextmanager
    def use(self) -> Iterator[None]:
        self.acquire()
        try:
            yield
        finally:
            self.release()


def replaced(owner: Any, name: str, wrap: Callable[[Any], Any]) -> Callable[[], None]:
    """Replace a method with `wrap(original)`; returns the function that restores the original.

    If it was wrapped again in the meantime, ours stays below: it does nothing where nobody listens.
    """
    inherited = name not in vars(owner)
    original = vars(owner).get(name)
    # As the class gives it: what another library wrapped (wrapt, so OpenTelemetry) knows `self` only then.
    ours = wrap(getattr(owner, name))
    setattr(owner, name, ours)

    def restore() -> None:
        if vars(owner).get(name) is ours:
            if inherited:
                delattr(owner, name)
            else:
                setattr(owner, name, original)

    return restore


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
    return [replaced(owner, name, replacement)]


def join_headers(headers: Iterable[tuple[Any, Any]]) -> dict[str, str]:
    """Header pairs of any library as a plain mapping; repeated ones are joined."""
    headers_by_name: dict[str, str] = {}
    for name, value in headers:
        key = name.decode("latin-1") if isinstance(name, bytes) else str(name)
        text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
        headers_by_name[key.lower()] = (
            f"{headers_by_name[key.lower()]}, {text}" if key.lower() in headers_by_name else text
        )
    return headers_by_name
