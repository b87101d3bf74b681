"""JSON values: which Python values are JSON, and arguments as a tool receives them, with their fingerprint."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Collection
from itertools import chain
from typing import Any

from rightcall.core.canonical_json import canonical
from rightcall.core.depth import MAX_DEPTH
from rightcall.core.digest import hex_digest
from rightcall.core.text import shorten
from rightcall.records.tool import Tool


def normalise_arguments(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments as a tool receives them: schema defaults filled in, 1.0 as 1 where a whole number is
    required, texts in Unicode's composed form (NFC). The model's own arguments are left as they are."""
    return _normal_object(arguments, tool.input_schema)


def fingerprint(tool: str, arguments: dict[str, Any], without: Collection[str] = ()) -> str:
    """SHA-256 of the tool and its canonical arguments, without the parameters that do not count."""
    kept = {name: value for name, value in arguments.items() if name not in without} if without else arguments
    return hex_digest(tool.encode() + b"\0" + canonical(kept))


def _normal_object(value: dict[str, Any], schema: Any) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {name: _normal(inner, None) for name, inner in value.items()}
    members = {name: _normal(inner, properties.get(name)) for name, inner in value.items()}
    for name, inner in properties.items():
        if name not in members and isinstance(inner, dict) and "default" in inner:
            members[name] = inner["default"]
    return members


def _normal(value: Any, schema: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if isinstance(value, float):
        return int(value) if value.is_integer() and _wants_integer(schema) else value
    if isinstance(value, dict):
        return _normal_object(value, schema)
    if isinstance(value, list):
        items = schema.get("items") if isinstance(schema, dict) else None
        return [_normal(inner, items) for inner in value]
    return value


def _wants_integer(schema: Any) -> bool:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind == "integer" or (isinstance(kind, list) and "integer" in kind and "number" not in kind)


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Every number, text and truth value with the path that leads to it: `messages[0].body`."""
    if isinstance(value, dict):
        return list(
            chain.from_iterable(leaves(inner, f"{path}.{name}".lstrip(".")) for name, inner in value.items())
        )
    if isinstance(value, list):
        return list(
            chain.from_iterable(leaves(inner, f"{path}[{index}]") for index, inner in enumerate(value))
        )
    return [(path, value)] if value is not None else []


def replace_leaf(value: Any, path: str, change: Callable[[Any], Any], here: str = "") -> Any:
    """A copy of the value with the leaf at `path` changed."""
    if here == path and not isinstance(value, dict | list):
        return change(value)
    if isinstance(value, dict):
        return {n: replace_leaf(inner, path, change, f"{here}.{n}".lstrip(".")) for n, inner in value.items()}
    if isinstance(value, list):
        return [replace_leaf(inner, path, change, f"{here}[{i}]") for i, inner in enumerate(value)]
    return value


MOST_BITS = 13_000
"""Bits of a whole number: Python does not read or write numbers of more than 4,300 digits."""

MOST_FOUND = 20


def is_json(value: Any, levels: int = MAX_DEPTH) -> bool:
    """Whether a value is JSON: a quick check on every call, about a microsecond."""
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
    """The path and problem of each part that is not JSON, found without recursion."""
    problems: list[tuple[str, str]] = []
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting and len(problems) < MOST_FOUND:
        path, part, depth = waiting.pop()
        if fault := _fault(part, depth):
            problems.append((shorten(path, 201), fault))
        elif isinstance(part, dict):
            for key, inner in part.items():
                if fault := _key_fault(key):
                    problems.append((path, fault))
                else:
                    waiting.append((f"{path}.{key}" if path else str(key), inner, depth + 1))
        elif isinstance(part, list):
            waiting.extend((f"{path}[{index}]", inner, depth + 1) for index, inner in enumerate(part))
    return problems


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
