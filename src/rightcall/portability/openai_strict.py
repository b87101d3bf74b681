"""Schemas for OpenAI's strict mode: closed objects, every property required, null for what was optional."""

from __future__ import annotations

from typing import Any

from rightcall.files import JsonPath
from rightcall.portability.closed_objects import closed, is_object, with_known_required
from rightcall.portability.provider_limits import provider
from rightcall.portability.rewrite import UNSAID, Losses, as_text, into_description, without
from rightcall.portability.types import typed, with_items, with_null


def strict_schema(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """One schema for strict mode."""
    if "oneOf" in schema and "anyOf" not in schema:
        losses.add(path, "oneOf", "written as anyOf: several variants may match")
        schema = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    schema = with_items(typed(schema, path, losses), path, losses)
    schema = _said_in_text(schema, path, losses)
    return _complete(schema, path, losses) if is_object(schema) else schema


def _said_in_text(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """Keywords that strict mode does not support move into the description."""
    facts = provider("openai-strict")
    named = schema.get("format")
    if isinstance(named, str) and named not in facts.formats:
        losses.add(path, "format", f"'{named}' moved into the description")
        schema = into_description(without(schema, ["format"]), f"Format: {named}.")
    if "default" in schema:
        losses.add(path, "default", "moved into the description: every property is required")
        schema = into_description(without(schema, ["default"]), f"Default: {as_text(schema['default'])}.")
    refused = [key for key in schema if key not in facts.keywords]
    said = [key for key in refused if key not in UNSAID]
    for key in refused:
        told = "moved into the description, where it is not enforced" if key in said else "removed"
        losses.add(path, key, told)
    text = "; ".join(f"{key}: {as_text(schema[key])}" for key in said)
    schema = without(schema, refused)
    return into_description(schema, f"({text})") if said else schema


def _complete(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    schema = closed(with_known_required(schema, path, losses), path, losses)
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    listed = schema.get("required")
    required = listed if isinstance(listed, list) else []
    every = {
        name: inner if name in required or not isinstance(inner, dict) else with_null(inner)
        for name, inner in properties.items()
    }
    return {**schema, "properties": every, "required": list(every)}
