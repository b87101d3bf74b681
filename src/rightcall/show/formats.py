"""The report formats, and the format of a file name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rightcall.core.errors import InputError

if TYPE_CHECKING:
    from rightcall.show.view.run import RunView
    from rightcall.store.sql.store import Store

    Writer = Callable[[Store, str, IO[bytes]], RunView]

SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".xml": "junit",
    ".json": "json",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))
"""A format is a file of that name in this room, with a function `write_<name>(store, run, out)`."""


def format_of(path: Path) -> str:
    """The format for a file's suffix."""
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        hint = f"use one of {', '.join(SUFFIXES)}, or set --format {'|'.join(FORMATS)}"
        raise InputError(str(path), f"unknown report suffix '{path.suffix}'", hint)
    return found


def writer_of(name: str) -> Writer:
    """The writer of a format; its packages are imported now."""
    writer: Writer = getattr(import_module(f"rightcall.show.{name}"), f"write_{name}")
    return writer
