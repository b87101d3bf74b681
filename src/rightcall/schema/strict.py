"""Schemas for strict modes, whose objects are closed and require only declared properties.

OpenAI's: every property required, null for what was optional. Anthropic's: the subset that it compiles, as its SDK
does it.
"""

from __future__ import annotations

import json
from typing import Any

from rightcall.files.documents import JsonPath
from rightcall.schema.join import UnfitError, intersect_schemas
from rightcall.schema.provider_limits import provider
from rightcall.schema.rewrite import UNSAID, Losses, as_text, into_description, only_keywords, without
from rightcall.schema.subschemas import properties_of, required_of
from rightcall.schema.types import with_items, with_null, with_type, without_null


def is_object(schema: dict[str, Any]) -> bool:
    """Whether the schema describes objects."""
    kinds = schema.get("type")
    return "properties" in schema or "object" in (kinds if isinstance(kinds, list) else [kinds])


def with_known_required(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """Without required names that are not properties; in a closed object nothing could satisfy them."""
    listed = schema.get("required")
    if not isinstance(listed, list) or not is_object(schema):
        return schema
    declared = properties_of(schema)
    unknown = [name for name in listed if not isinstance(name, str) or name not in declared]
    for name in unknown:
        losses.add(path, "required", f"'{name}' is not a property: removed")
    kept = [name for name in listed if name not in unknown]
    return {**without(schema, ["required"]), "required": kept} if unknown else schema


def close_object(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """The object with `additionalProperties: false`; a loss is recorded if it was open on purpose."""
    extra = schema.get("additionalProperties")
    if extra is False:
        return schema
    if extra is True or isinstance(extra, dict):
        losses.add(path, "additionalProperties", "closed: free keys cannot be sent")
    elif path and not schema.get("properties"):
        losses.add(path, "additionalProperties", "a free-form object, closed: only {} can be sent")
    return {**schema, "additionalProperties": False}


def openai_strict_schema(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """One schema for strict mode."""
    if "oneOf" in schema and "anyOf" not in schema:
        losses.add(path, "oneOf", "written as anyOf: several variants may match")
        schema = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    schema = with_items(with_type(schema, path, losses), path, losses)
    schema = _describe_keywords(schema, path, losses)
    return _complete(schema, path, losses) if is_object(schema) else schema


def _describe_keywords(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """Keywords that strict mode does not support move into the description."""
    facts = provider("openai-strict")
    named = schema.get("format")
    if isinstance(named, str) and named not in facts.formats:
        losses.add(path, "format", f"'{named}' moved into the description")
        schema = into_description(without(schema, ["format"]), f"Format: {named}.")
    if "default" in schema:
        losses.add(path, "default", "moved into the description: every property is required")
        schema = into_description(without(schema, ["default"]), f"Default: {as_text(schema['default'])}.")
    note = "moved into the description, where it is not enforced"
    return only_keywords(schema, facts.keywords, path, losses, note)


def _complete(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    schema = close_object(with_known_required(schema, path, losses), path, losses)
    required = required_of(schema)
    every = {
        name: inner if name in required or not isinstance(inner, dict) else with_null(inner)
        for name, inner in properties_of(schema).items()
    }
    return {**schema, "properties": every, "required": list(every)}


def strict_violations(schema: dict[str, Any]) -> list[str]:
    """The keywords of one schema that strict mode does not compile, in order."""
    facts = provider("anthropic-strict")
    allowed_values: dict[str, Any] = {"format": facts.formats, "minItems": (0, 1)}
    allowed = {*facts.keywords, "additionalProperties"} - allowed_values.keys()
    return [
        key
        for key, value in schema.items()
        if key not in allowed and not str(key).startswith("x-") and value not in allowed_values.get(key, ())
    ]


def description_with(schema: dict[str, Any], keys: list[str]) -> str:
    """The description with the keywords appended: `How many days. {minimum: 1, maximum: 14}`."""
    keywords = ", ".join(f"{key}: {json.dumps(schema[key], ensure_ascii=False)}" for key in keys)
    return str(into_description(schema, f"{{{keywords}}}")["description"])


def anthropic_strict_schema(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """One schema for strict mode. Parameters that allowed null only to be optional become optional."""
    schema = _optional_by_absence(with_known_required(schema, path, losses))
    unsaid = [key for key in UNSAID if key in schema]
    for key in unsaid:
        losses.add(path, key, "removed")
    schema = without(schema, unsaid)
    keys = [key for key in schema if key in strict_violations(schema) or _is_left_by_sdk(key, schema[key])]
    if keys:
        text = description_with(schema, keys)
        for key in keys:
            losses.add(path, key, "moved into the description, where it is not enforced")
        schema = {**without(schema, keys), "description": text}
    schema = with_any_of(schema, path, losses)
    return close_object(schema, path, losses) if is_object(schema) else schema


def _is_left_by_sdk(key: str, value: Any) -> bool:
    """What the SDK drops although the linter allows it: extensions, defaults, whole values."""
    if key == "const":
        return isinstance(value, dict | list)
    return key == "default" or key.startswith("x-")


def with_any_of(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """`oneOf` as `anyOf`."""
    if "oneOf" not in schema:
        return schema
    losses.add(path, "oneOf", "written as anyOf: several variants may match")
    return with_variants(without(schema, ["oneOf"]), schema["oneOf"], path, losses)


def with_variants(schema: dict[str, Any], variants: Any, path: JsonPath, losses: Losses) -> dict[str, Any]:
    """The schema with these variants in addition to its own."""
    try:
        return intersect_schemas(schema, {"anyOf": variants}, path, losses)
    except UnfitError as unfit:
        losses.refuse(path, "anyOf", f"no value matches: {unfit}")
        return schema


def _optional_by_absence(schema: dict[str, Any]) -> dict[str, Any]:
    properties, required = properties_of(schema), required_of(schema)
    plain = {
        name: without_null(inner) if isinstance(inner, dict) else inner for name, inner in properties.items()
    }
    kept = [name for name in required if plain.get(name) == properties.get(name)]
    return {**schema, "properties": plain, "required": kept} if len(kept) < len(required) else schema
