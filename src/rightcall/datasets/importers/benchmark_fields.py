"""Fields of a benchmark's files, each with the place that an error names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rightcall.core.errors import InputError


def object_of(raw: Any, where: str) -> dict[str, Any]:
    """The value, which must be an object."""
    if not isinstance(raw, dict):
        raise InputError(where, f"must be an object, got {type(raw).__name__}")
    return raw


def objects_of(entries: Iterable[Any], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of a list, each of which must be an object, with the place of each."""
    for i, entry in enumerate(entries):
        yield f"{where}[{i}]", object_of(entry, f"{where}[{i}]")


def number_of(raw: Any, where: str) -> float:
    """The value, which must be a number."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise InputError(where, f"must be a number, got {type(raw).__name__}")
    return float(raw)


def list_in(raw: dict[str, Any], name: str, where: str) -> list[Any]:
    """The list under a name."""
    entries = raw.get(name)
    if not isinstance(entries, list):
        raise InputError(where, f"missing required list '{name}'", "is this a results file?")
    return entries


def field_of(raw: dict[str, Any], name: str, where: str) -> Any:
    """The value under a name, which must be there."""
    if raw.get(name) is None:
        raise InputError(where, f"missing required field '{name}'")
    return raw[name]
