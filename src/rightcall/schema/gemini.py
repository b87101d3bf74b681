"""Schemas limited to the fields of Gemini's Schema type."""

from __future__ import annotations

from typing import Any

from rightcall.files.documents import JsonPath
from rightcall.schema.definition import distinct_names
from rightcall.schema.provider_limits import provider
from rightcall.schema.rewrite import Losses, as_text, into_description, only_keywords, without
from rightcall.schema.strict import with_any_of, with_known_required, with_variants
from rightcall.schema.types import is_number


def gemini_schema(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """One schema in Gemini's fields; other keywords move into the description."""
    schema = with_known_required(schema, path, losses)
    schema = _with_one_type(_with_text_enum(schema, path, losses), path, losses)
    schema = _with_inclusive_bounds(with_any_of(schema, path, losses))
    schema = _with_plain_names(schema, path, losses)
    note = "moved into the description: Gemini has no field for it"
    return only_keywords(schema, provider("gemini").keywords, path, losses, note)


def _with_text_enum(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """`const` as an `enum` of one; an `enum` contains only strings, null is `nullable`, a single number two bounds."""
    if "const" in schema:
        schema = {
            ("enum" if key == "const" else key): value for key, value in schema.items() if key != "enum"
        }
        schema["enum"] = [schema["enum"]]
    values = schema.get("enum")
    if not isinstance(values, list) or all(isinstance(value, str) for value in values):
        return schema
    kept = [value for value in values if value is not None]
    if len(kept) < len(values):
        schema = {**schema, "nullable": True}
    if kept and all(isinstance(value, str) for value in kept):
        return {**schema, "enum": kept}
    schema = without(schema, ["enum"])
    if len(kept) == 1 and is_number(kept[0]):
        kind = "integer" if isinstance(kept[0], int) else "number"
        return {"type": kind, **schema, "minimum": kept[0], "maximum": kept[0]}
    if not kept:
        return schema
    losses.add(path, "enum", "moved into the description: Gemini's enum allows only strings")
    return into_description(schema, f"(enum: {as_text(values)})")


def _with_one_type(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    declared = schema.get("type")
    if not isinstance(declared, list):
        return schema
    kinds = [kind for kind in declared if kind != "null"]
    if not kinds:
        return {**schema, "type": "null"}
    if len(kinds) < len(declared):
        schema = {**schema, "nullable": True}
    if len(kinds) == 1:
        return {**schema, "type": kinds[0]}
    return with_variants(without(schema, ["type"]), [{"type": kind} for kind in kinds], path, losses)


def _with_inclusive_bounds(schema: dict[str, Any]) -> dict[str, Any]:
    for exclusive, plain, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        bound, other = schema.get(exclusive), schema.get(plain)
        if isinstance(bound, int) and not isinstance(bound, bool) and schema.get("type") == "integer":
            inclusive = bound + step
            if isinstance(other, int | float):
                inclusive = max(inclusive, other) if step > 0 else min(inclusive, other)  # type: ignore[assignment]
            schema = {**without(schema, [exclusive]), plain: inclusive}
    return schema


def _with_plain_names(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """Property names of letters, digits and _; the tool then gets the new names."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return schema
    names = distinct_names(list(properties), provider("gemini").parameter_name or "", 64, "_")
    renamed = {old: new for old, new in zip(properties, names, strict=True) if old != new}
    if not renamed:
        return schema
    for old, new in renamed.items():
        losses.add((*path, "properties", old), "name", f"'{old}' written as '{new}': rename it in the call")
    changed = {**schema, "properties": {renamed.get(name, name): inner for name, inner in properties.items()}}
    for key in ("required", "propertyOrdering"):
        if isinstance(schema.get(key), list):
            changed[key] = [renamed.get(n, n) if isinstance(n, str) else n for n in schema[key]]
    return changed
