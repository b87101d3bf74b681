"""The report formats, and the format of a file name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rightcall.core.errors import InputError
from rightcall.core.seam import load, plugins

if TYPE_CHECKING:
    from rightcall.show.view.run import RunView
    from rightcall.store.sql.store import Store

    Writer = Callable[[Store, str, IO[bytes]], RunView | None]

SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".xml": "junit",
    ".json": "json",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))
"""A format is a file of that name in this room, with a function `write_<name>(store, run, out)`. Installed packages add
such functions by name, which is their suffix too."""


def format_of(path: Path) -> str:
    """The format for a file's suffix."""
    suffix = path.suffix.lower()
    format_name = SUFFIXES.get(suffix) or next(
        (name for name in plugins("report_formats", FORMATS) if suffix == f".{name}"), None
    )
    if format_name is None:
        hint = f"use one of {', '.join(SUFFIXES)}, or set --format {'|'.join(FORMATS)}"
        raise InputError(str(path), f"unknown report suffix '{path.suffix}'", hint)
    return format_name


def writer_of(name: str) -> Writer:
    """The writer of a format; its packages are imported now."""
    if name in FORMATS:
        writer: Writer = getattr(import_module(f"rightcall.show.{name}"), f"write_{name}")
    else:
        writer = load("report_formats", name)
    return writer
