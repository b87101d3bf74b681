"""Hooks into the HTTP libraries that agents use, for the duration of a run.

A library is hooked at its lowest layer that still has whole requests, so that every SDK on top of it is
covered. If it is already patched (vcrpy, respx), it is left alone, with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Self

from rightcall.providers.recordings.library import Recordings
from rightcall.providers.recordings.listener import Listener
from rightcall.providers.recordings.placeholder_keys import placeholder_keys

LIBRARIES = {
    "httpx": "httpx_hook",
    "httpx2": "httpx_hook",
    "aiohttp": "aiohttp_hook",
    "urllib3": "urllib3_hook",
}
"""Each library by the name it is imported by, and the file that hooks it."""


class HttpHooks:
    """`with HttpHooks(recordings):` every request of an installed library goes through the recordings."""

    def __init__(self, recordings: Recordings) -> None:
        self._replaying = recordings.replays_only
        self._listener = Listener(recordings)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(placeholder_keys(self._replaying))
        for library, hook in LIBRARIES.items():
            if find_spec(library) is not None:
                module = import_module(f"rightcall.providers.recordings.{hook}")
                for undo in module.install(import_module(library), self._listener):
                    self._stack.callback(undo)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def patched(
    owner: Any, name: str, library: str, replacement: Callable[[Any], Any]
) -> list[Callable[[], None]]:
    """Replace a method with `replacement(original)`; returns the undo function."""
    original = getattr(owner, name)
    module = getattr(original, "__module__", "") or ""
    if module.partition(".")[0] != library and not module.startswith("rightcall."):
        warnings.warn(f"{library} is patched by {module}; its requests are not recorded", stacklevel=3)
        return []
    setattr(owner, name, replacement(original))
    return [lambda: setattr(owner, name, original)]
