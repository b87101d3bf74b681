"""Detects Python values that are not JSON: NaN, lone surrogates, excessive depth, other types."""

from __future__ import annotations

import math
from typing import Any

from rightcall.model.depth import MAX_DEPTH

MOST_BITS = 13_000
"""Bits of a whole number: Python does not read or write numbers of more than 4,300 digits."""

MOST_FOUND = 20


def is_json(value: Any, levels: int = MAX_DEPTH) -> bool:
    """Whether JSON can hold the value; the quick look on the way of every call, about a microsecond."""
    kind = type(value)
    if kind is str:
        return value.isascii() or not _has_half_pair(value)
    if kind is dict:
        return levels > 0 and _is_json_object(value, levels)
    if kind is list:
        return levels > 0 and all(is_json(inner, levels - 1) for inner in value)
    if kind is int:
        return bool(value.bit_length() < MOST_BITS)
    return kind is bool or value is None or (kind is float and math.isfinite(value))


def _is_json_object(value: dict[Any, Any], levels: int) -> bool:
    for key, inner in value.items():  # a loop: `all` over a generator takes twice the time
        if type(key) is not str or not (key.isascii() or not _has_half_pair(key)):
            return False
        if not (type(inner) is str and inner.isascii()) and not is_json(inner, levels - 1):
            return False
    return True


def what_json_cannot_hold(value: Any) -> list[tuple[str, str]]:
    """The path and the fault of each part that JSON cannot hold; walks without recursion."""
    found: list[tuple[str, str]] = []
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting and len(found) < MOST_FOUND:
        path, part, depth = waiting.pop()
        if fault := _fault(part, depth):
            found.append((path if len(path) <= 200 else path[:200] + "…", fault))
        elif isinstance(part, dict):
            for key, inner in part.items():
                if fault := _key_fault(key):
                    found.append((path, fault))
                else:
                    waiting.append((f"{path}.{key}" if path else str(key), inner, depth + 1))
        elif isinstance(part, list):
            waiting.extend((f"{path}[{index}]", inner, depth + 1) for index, inner in enumerate(part))
    return found


def _fault(part: Any, depth: int) -> str:
    if depth >= MAX_DEPTH and isinstance(part, dict | list):
        return f"nested too deeply: more than {MAX_DEPTH} levels"
    if isinstance(part, float) and not math.isfinite(part):
        return f"{part} is not a JSON number"
    if isinstance(part, int) and part.bit_length() >= MOST_BITS:
        return "a number of more than 4,000 digits"
    if isinstance(part, str) and _has_half_pair(part):
        return "the text contains a lone surrogate"
    if part is None or isinstance(part, str | int | float | dict | list):
        return ""
    return f"a {type(part).__name__} is not a JSON value"


def _key_fault(key: Any) -> str:
    if not isinstance(key, str):
        return f"the name {key!r} is not a text"
    return "a name contains a lone surrogate" if _has_half_pair(key) else ""


def _has_half_pair(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
