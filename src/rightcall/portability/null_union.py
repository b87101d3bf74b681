"""Adding null to a schema and removing it."""

from __future__ import annotations

from typing import Any


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
    rest = {key: value for key, value in schema.items() if key not in described}
    return {**described, "anyOf": [rest, {"type": "null"}]} if rest else schema


def without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema, no longer accepting null; unchanged when null is all it accepts."""
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind and len(kind) > 1:
        rest = [each for each in kind if each != "null"]
        values = schema.get("enum")
        changed = {**schema, "type": rest[0] if len(rest) == 1 else rest}
        return (
            {**changed, "enum": [v for v in values if v is not None]} if isinstance(values, list) else changed
        )
    variants = schema.get("anyOf")
    if isinstance(variants, list) and {"type": "null"} in variants and len(variants) > 1:
        kept = [each for each in variants if each != {"type": "null"}]
        outer = {key: value for key, value in schema.items() if key != "anyOf"}
        if len(kept) == 1 and isinstance(kept[0], dict) and not set(kept[0]) & set(outer):
            return {**kept[0], **outer}
        return {**outer, "anyOf": kept}
    return schema


def _with_enum_null(schema: dict[str, Any]) -> dict[str, Any]:
    values = schema.get("enum")
    return {**schema, "enum": [*values, None]} if isinstance(values, list) and None not in values else schema
