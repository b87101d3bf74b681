"""What OpenAI's strict mode takes: closed objects, every property required, null for what was optional."""

from __future__ import annotations

import json
from typing import Any

from rightcall.lint.diagnostic import Path
from rightcall.lint.facts.providers import provider
from rightcall.lint.portability.null_union import with_null
from rightcall.lint.portability.rewrite import Losses, into_description


def strict_schema(schema: dict[str, Any], path: Path, losses: Losses) -> dict[str, Any]:
    """One schema as strict mode takes it."""
    schema = _without_forbidden(schema, path, losses)
    named = schema.get("format")
    if isinstance(named, str) and named not in provider("openai-strict").formats:
        losses.add(path, "format", f"'{named}' moved into the description")
        schema = into_description({k: v for k, v in schema.items() if k != "format"}, f"Format: {named}.")
    if "default" in schema:
        losses.add(path, "default", "moved into the description: every property is sent")
        said = f"Default: {json.dumps(schema['default'], ensure_ascii=False)}."
        schema = into_description({k: v for k, v in schema.items() if k != "default"}, said)
    if schema.get("type") == "object" or "properties" in schema:
        schema = _closed(schema, path, losses)
    return schema


def _without_forbidden(schema: dict[str, Any], path: Path, losses: Losses) -> dict[str, Any]:
    facts = provider("openai-strict")
    if "oneOf" in schema and "anyOf" not in schema:
        losses.add(path, "oneOf", "written as anyOf: several variants may fit")
        schema = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    parts = schema.get("allOf")
    if isinstance(parts, list) and all(
        isinstance(part, dict) and not set(part) & set(schema) for part in parts
    ):
        merged: dict[str, Any] = {}
        for part in parts:
            merged.update(part)
        schema = {**{k: v for k, v in schema.items() if k != "allOf"}, **merged}
    refused = [key for key in schema if key in facts.forbidden_keywords or key in facts.doubtful_keywords]
    if not refused:
        return schema
    said = "; ".join(f"{key}: {json.dumps(schema[key], ensure_ascii=False)}" for key in refused)
    for key in refused:
        losses.add(path, key, "moved into the description: the model is told, not held to it")
    return into_description({k: v for k, v in schema.items() if k not in refused}, f"({said})")


def _closed(schema: dict[str, Any], path: Path, losses: Losses) -> dict[str, Any]:
    extra = schema.get("additionalProperties")
    if extra is True or isinstance(extra, dict):
        losses.add(path, "additionalProperties", "closed: free keys cannot be sent")
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    listed = schema.get("required")
    required = [name for name in listed if name in properties] if isinstance(listed, list) else []
    every = {
        name: inner if name in required or not isinstance(inner, dict) else with_null(inner)
        for name, inner in properties.items()
    }
    return {**schema, "properties": every, "required": list(every), "additionalProperties": False}
