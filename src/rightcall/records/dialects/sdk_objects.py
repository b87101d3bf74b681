"""Objects of SDKs as the dicts that they stand for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rightcall.core.errors import InputError

DEEPEST = 200
"""Levels of nesting; anything deeper is a cycle, or not a transcript."""

DUMPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("model_dump", {"mode": "json", "exclude_none": True, "warnings": False}),
    ("model_dump", {}),
    ("to_dict", {}),
    ("dict", {}),
)
"""The methods of pydantic and of generated clients; the second is for models with a field that has no JSON form."""


def as_plain(value: Any, where: str, depth: int = 0) -> Any:
    """The value with every SDK object in it, at any depth, as a dict. Other values are unchanged."""
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    if depth > DEEPEST:
        raise InputError(where, f"is nested more than {DEEPEST} levels deep", "does it contain itself?")
    if isinstance(value, Mapping):
        return {key: as_plain(item, where, depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytearray | memoryview | range):
        return [as_plain(item, where, depth + 1) for item in value]
    dumped = _dump_object(value)
    return value if dumped is None else as_plain(dumped, where, depth + 1)


def _dump_object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, type):
        return None
    if isinstance(value, msgspec.Struct):
        names = [(field.name, field.default) for field in msgspec.structs.fields(value)]
        # a field that has its default says nothing
        return {name: held for name, default in names if (held := getattr(value, name)) != default}
    for name, options in DUMPS:
        dump = getattr(value, name, None)
        if callable(dump):
            fields = _call_dump(dump, options)
            if isinstance(fields, dict):
                return fields
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    return None


def _call_dump(dump: Any, options: dict[str, Any]) -> Any:
    for arguments in (options, {}):
        try:
            return dump(**arguments)
        except TypeError:  # an older or different signature
            continue
        except Exception:  # an object that cannot say what it holds is refused later
            break
    return None
