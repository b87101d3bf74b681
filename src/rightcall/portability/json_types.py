"""The types of JSON Schema, and the equivalents of programming language types."""

from __future__ import annotations

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
