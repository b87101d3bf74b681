"""File formats of items. Each file has two functions and knows nothing about the meaning of the items.

    read(path, collection) -> Iterator[(line, item)]    an item is JSON bytes or a plain value
    write(items, collection, file)                      items are records

`SUFFIXES` names its files. `Collection` says what the file contains: the word for it, and the record types an item may
be. To add a format, add a file. What all of them share, and what they refuse, such as a key that occurs twice, is in
`collection`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from rightcall.core.errors import InputError, suggestion
from rightcall.datasets.formats.collection import GOLDENS, TRAJECTORIES, Collection

FORMATS: dict[str, ModuleType] = {
    suffix: module
    for module_info in iter_modules(__path__)
    for module in [import_module(f"{__name__}.{module_info.name}")]
    for suffix in getattr(module, "SUFFIXES", ())
}
"""Each format by the suffixes that its file declares."""

__all__ = ["FORMATS", "GOLDENS", "TRAJECTORIES", "Collection", "format_of"]


def format_of(path: str | Path, suffixes: tuple[str, ...] = tuple(FORMATS)) -> ModuleType:
    suffix = Path(path).suffix.lower()
    if suffix in suffixes:
        return FORMATS[suffix]
    ending = f"the suffix '{suffix}'" if suffix else "no suffix"
    hint = suggestion(suffix, suffixes) or f"use one of {', '.join(suffixes)}"
    raise InputError(str(path), f"cannot infer the format from {ending}", hint)
