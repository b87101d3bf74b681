"""Objects of provider SDKs as plain JSON, so that they are read like the equivalent dicts.

Detected by their methods (`model_dump` of pydantic, `to_dict`); no SDK is imported.
"""

from __future__ import annotations

from typing import Any

from rightcall.errors import InputError

DEEPEST = 200
"""Levels of nesting; anything deeper is a cycle, or not a transcript."""


def as_plain(value: Any, where: str, depth: int = 0) -> Any:
    """The value with every SDK object in it, at any depth, as a dict. Other values are unchanged."""
    if depth > DEEPEST:
        raise InputError(where, f"is nested more than {DEEPEST} levels deep", "does it contain itself?")
    if isinstance(value, dict):
        return {key: as_plain(item, where, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(item, where, depth + 1) for item in value]
    dumped = _dumped(value)
    return value if dumped is None else as_plain(dumped, where, depth + 1)


def _dumped(value: Any) -> dict[str, Any] | None:
    if isinstance(value, type):
        return None
    for name, options in (("model_dump", {"mode": "json", "exclude_none": True}), ("to_dict", {})):
        dump = getattr(value, name, None)
        if callable(dump):
            found = _called(dump, options)
            if isinstance(found, dict):
                return found
    return None


def _called(dump: Any, options: dict[str, Any]) -> Any:
    try:
        return dump(**options)
    except TypeError:  # an older or different signature
        return dump()
