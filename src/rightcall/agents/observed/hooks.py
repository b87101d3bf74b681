"""Process-wide hooks that act only inside a trial: installed while a trial needs them, local to its context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

from rightcall.agents.observed.adapter import Adapter, Watch
from rightcall.recording.hooks import SharedSetup, replaced

_WATCHES: ContextVar[Mapping[str, Watch] | None] = ContextVar("rightcall_watches", default=None)


def watch_of(adapter: str) -> Watch | None:
    """The adapter's state of the trial this code runs in; None outside a trial it observes."""
    watches = _WATCHES.get()
    return watches.get(adapter) if watches else None


@contextmanager
def show_watches(watches: Mapping[str, Watch]) -> Iterator[None]:
    """Let the hooks called in this context, and in tasks and threads started from it, see these watches."""
    token = _WATCHES.set(watches)
    try:
        yield
    finally:
        _WATCHES.reset(token)


_SHARED: dict[Adapter, SharedSetup] = {}


def shared_hooks(adapter: Adapter) -> SharedSetup:
    """The hooks of an adapter, which all trials of a process share."""
    return _SHARED.setdefault(adapter, SharedSetup(adapter.install))


def all_replaced(*methods: tuple[Any, str, Callable[[Any], Any]]) -> Callable[[], None]:
    """Replace methods with `wrap(original)`; returns the function that restores all of them."""
    stack = ExitStack()
    for owner, name, wrap in methods:
        stack.callback(replaced(owner, name, wrap))
    return stack.close


def class_that_defines(kind: type, name: str) -> type:
    """The class among the bases of `kind` that defines a method itself."""
    return next(base for base in kind.__mro__ if name in vars(base))
