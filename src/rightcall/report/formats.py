"""Which formats there are, and which one a file's name asks for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rightcall.errors import InputError

if TYPE_CHECKING:
    from rightcall.report.view import RunView
    from rightcall.store import Store

    Writer = Callable[[Store, str, IO[bytes]], RunView]

FORMATS = ("html", "markdown", "junit", "json")
"""A format is a file of that name in this room, with a function `write_<name>(store, run, out)`."""
SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".xml": "junit",
    ".json": "json",
}


def format_of(path: Path) -> str:
    """The format a file's suffix means."""
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        hint = f"use one of {', '.join(SUFFIXES)}, or name the format: --format {'|'.join(FORMATS)}"
        raise InputError(str(path), f"no report has the suffix '{path.suffix}'", hint)
    return found


def writer_of(name: str) -> Writer:
    """What writes that format; its packages are loaded now and not before."""
    writer: Writer = getattr(import_module(f"rightcall.report.{name}"), f"write_{name}")
    return writer
