"""A type for every schema and items for every list, for targets that require them."""

from __future__ import annotations

from typing import Any

from rightcall.files import JsonPath
from rightcall.portability.rewrite import Losses

_TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null",
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


def typed(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """The schema with a type: from its values, from its keywords, or any plain type."""
    if any(key in schema for key in ("type", "anyOf", "oneOf", "allOf", "$ref")):
        return schema
    values = schema.get("enum") if isinstance(schema.get("enum"), list) else None
    values = [schema["const"]] if "const" in schema else values
    if values:
        kinds = list(dict.fromkeys(_TYPES.get(type(value), "string") for value in values))
        return {"type": kinds[0] if len(kinds) == 1 else kinds, **schema}
    for kind, keywords in _MEANT.items():
        said = [key for key in keywords if key in schema]
        if said:
            losses.add(path, "type", f"missing: written as {kind}, implied by {said[0]}")
            return {"type": kind, **schema}
    losses.add(path, "type", f"missing: only {', '.join(PLAIN[:-1])} or null can be sent")
    return {"type": list(PLAIN), **schema}


def with_items(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """A list with items: from its positions, or any plain value."""
    kinds = schema.get("type")
    if "array" not in (kinds if isinstance(kinds, list) else [kinds]) or isinstance(
        schema.get("items"), dict
    ):
        return schema
    places = schema.get("prefixItems")
    if isinstance(places, list) and places:
        forms: list[Any] = []
        forms += [form for form in places if isinstance(form, dict) and form not in forms]
        losses.add(path, "items", "each item may match any position of prefixItems")
        return {**schema, "items": forms[0] if len(forms) == 1 else {"anyOf": forms}}
    losses.add(path, "items", f"missing: only {', '.join(PLAIN[:-1])} or null can be sent")
    return {**schema, "items": {"type": list(PLAIN)}}
