"""Environment variables that code of a project reads while it runs, whatever it calls the mapping or computes the name.

`os.environ` gets a class that notes reads, for as long as somebody watches; every alias of it is the same object.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from rightcall.core.operating_system import environment_mappings

THROUGH = frozenset(("os", "_collections_abc", "collections.abc", "posixpath", "ntpath", "genericpath"))
"""Modules whose functions read a variable for their caller: `getenv`, `environ.get`, `expandvars`."""

_PLAIN: Any = type(os.environ)
_listed = threading.local()
_note: Callable[[str, FrameType | None], None] | None = None


class _NotingEnviron(_PLAIN):  # type: ignore[misc]
    def __getitem__(self, key: Any) -> Any:
        _read(key)
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[Any]:
        keys = [*super().__iter__()]
        _listed.keys = {*keys}  # a copy reads each of them once; that names none of them
        return iter(keys)


def note_variables(note: Callable[[str, FrameType | None], None] | None) -> None:
    """Call `note` with the name and the reader's frame from now on; None ends it."""
    global _note  # noqa: PLW0603  the environment is of this process too
    _note = note
    for mapping in environment_mappings():
        mapping.__class__ = _PLAIN if note is None else _NotingEnviron


def _read(key: Any) -> None:
    listed: set[Any] = getattr(_listed, "keys", set())
    if key in listed:
        listed.discard(key)
        return
    note, frame = _note, sys._getframe(2)
    if note is None or not isinstance(key, str | bytes):
        return
    reader: FrameType | None = frame
    while reader is not None and (
        reader.f_globals.get("__name__") in THROUGH or reader.f_code.co_filename.startswith("<")
    ):
        reader = reader.f_back
    note(os.fsdecode(key), reader)
