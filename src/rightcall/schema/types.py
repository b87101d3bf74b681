"""Types of values and schemas, and the names that definitions use for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard

TYPE_NAMES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null",
                               dict: "object", list: "array"}  # fmt: skip


def without(schema: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """The schema without some of its keywords."""
    left = set(keys)
    return {key: value for key, value in schema.items() if key not in left}


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number in JSON, where true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


JSON_TYPES = frozenset(("string", "number", "integer", "boolean", "object", "array", "null"))

TYPE_ALIASES: dict[str, str] = {
    "dict": "object", "dictionary": "object", "map": "object", "hashmap": "object", "struct": "object",
    "float": "number", "double": "number", "decimal": "number", "real": "number", "num": "number",
    "int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "bigint": "integer",
    "short": "integer",
    "str": "string", "text": "string", "char": "string", "varchar": "string",
    "bool": "boolean",
    "list": "array", "tuple": "array", "set": "array", "arraylist": "array", "vector": "array",
    "none": "null", "nonetype": "null", "nil": "null",
    "any": "",
}  # fmt: skip
"""JSON Schema equivalents of programming language types; "" means any value."""


def json_type(name: str) -> str | None:
    """The JSON type of a type name, "" for any, None when unknown."""
    if name in JSON_TYPES:
        return name
    lower = name.lower()
    return lower if lower in JSON_TYPES else TYPE_ALIASES.get(lower)


def with_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema, also accepting null."""
    kind = schema.get("type")
    if isinstance(kind, str) and "const" not in schema:
        return _with_enum_null({**schema, "type": kind if kind == "null" else [kind, "null"]})
    if isinstance(kind, list):
        return _with_enum_null({**schema, "type": kind if "null" in kind else [*kind, "null"]})
    if isinstance(schema.get("anyOf"), list):
        variants = schema["anyOf"]
        return schema if {"type": "null"} in variants else {**schema, "anyOf": [*variants, {"type": "null"}]}
    described: dict[str, Any] = {key: schema[key] for key in ("description", "title") if key in schema}
    rest = without(schema, described)
    return {**described, "anyOf": [rest, {"type": "null"}]} if rest else schema


def _with_enum_null(schema: dict[str, Any]) -> dict[str, Any]:
    values = schema.get("enum")
    return {**schema, "enum": [*values, None]} if isinstance(values, list) and None not in values else schema
