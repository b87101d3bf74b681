"""File formats of items. Each file has two functions and knows nothing about the meaning of the items.

    read(path, collection) -> Iterator[(line, item)]    an item is JSON bytes or a plain value
    write(items, collection, file)                      items are records

`Collection` describes the contents of a file: its name, and the record types an item may be.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from rightcall.datasets.formats import csv, json, jsonl, yaml
from rightcall.datasets.formats.collection import GOLDENS, TRAJECTORIES, Collection
from rightcall.errors import InputError, suggestion

FORMATS: dict[str, ModuleType] = {".jsonl": jsonl, ".json": json, ".yaml": yaml, ".yml": yaml, ".csv": csv}

__all__ = ["FORMATS", "GOLDENS", "TRAJECTORIES", "Collection", "format_of"]


def format_of(path: str | Path, suffixes: tuple[str, ...] = tuple(FORMATS)) -> ModuleType:
    """The format for a file's suffix."""
    suffix = Path(path).suffix.lower()
    if suffix in suffixes:
        return FORMATS[suffix]
    found = f"the suffix '{suffix}'" if suffix else "no suffix"
    hint = suggestion(suffix, suffixes) or f"use one of {', '.join(suffixes)}"
    raise InputError(str(path), f"cannot infer the format from {found}", hint)
