"""A type for every schema and items for every list, for targets that require them."""

from __future__ import annotations

from typing import Any, TypeGuard

from rightcall.files.documents import JsonPath
from rightcall.schema.rewrite import Losses, without

TYPE_NAMES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null",
                               dict: "object", list: "array"}  # fmt: skip
_MEANT = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "propertyNames",
               "minProperties", "maxProperties", "dependentRequired", "dependentSchemas"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
    "string": ("pattern", "minLength", "maxLength", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}  # fmt: skip
PLAIN = ("string", "number", "boolean", "null")
"""Stand-in for "any value" where objects and lists must be described."""


def with_type(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """The schema with a type: from its values, from its keywords, or any plain type."""
    if any(key in schema for key in ("type", "anyOf", "oneOf", "allOf", "$ref")):
        return schema
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list) and values:
        kinds = list(dict.fromkeys(TYPE_NAMES.get(type(value), "string") for value in values))
        return {"type": kinds[0] if len(kinds) == 1 else kinds, **schema}
    for kind, keywords in _MEANT.items():
        present = [key for key in keywords if key in schema]
        if present:
            losses.add(path, "type", f"missing: written as {kind}, implied by {present[0]}")
            return {"type": kind, **schema}
    losses.add(path, "type", f"missing: only {', '.join(PLAIN[:-1])} or null can be sent")
    return {"type": list(PLAIN), **schema}


def with_items(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """A list with items: from its positions, or any plain value."""
    kinds = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
    if "array" not in kinds or isinstance(schema.get("items"), dict):
        return schema
    places = schema.get("prefixItems")
    if isinstance(places, list) and places:
        forms: list[Any] = []
        forms += [form for form in places if isinstance(form, dict) and form not in forms]
        losses.add(path, "items", "each item may match any position of prefixItems")
        return {**schema, "items": forms[0] if len(forms) == 1 else {"anyOf": forms}}
    losses.add(path, "items", f"missing: only {', '.join(PLAIN[:-1])} or null can be sent")
    return {**schema, "items": {"type": list(PLAIN)}}


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


def without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema, no longer accepting null; unchanged when null is all it accepts."""
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind and len(kind) > 1:
        rest = [name for name in kind if name != "null"]
        changed = {**schema, "type": rest[0] if len(rest) == 1 else rest}
        if isinstance(values := schema.get("enum"), list):
            changed["enum"] = [value for value in values if value is not None]
        return changed
    variants = schema.get("anyOf")
    if isinstance(variants, list) and {"type": "null"} in variants and len(variants) > 1:
        kept = [variant for variant in variants if variant != {"type": "null"}]
        outer = without(schema, ["anyOf"])
        if len(kept) == 1 and isinstance(kept[0], dict) and not set(kept[0]) & set(outer):
            return {**kept[0], **outer}
        return {**outer, "anyOf": kept}
    return schema


def _with_enum_null(schema: dict[str, Any]) -> dict[str, Any]:
    values = schema.get("enum")
    return {**schema, "enum": [*values, None]} if isinstance(values, list) and None not in values else schema
