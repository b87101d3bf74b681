"""The types of JSON Schema, and what types of programming languages are called there."""

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
"""What types of programming languages are called in JSON Schema; "" means that any value will do."""


def json_type(name: str) -> str | None:
    """The JSON type a type name means, "" for any, None when it means none we know."""
    if name in JSON_TYPES:
        return name
    lower = name.lower()
    return lower if lower in JSON_TYPES else TYPE_ALIASES.get(lower)
