"""The subset that Anthropic's strict mode compiles, as its SDK makes it."""

from __future__ import annotations

import json
from typing import Any

from rightcall.lint.diagnostic import Path
from rightcall.lint.facts.providers import provider
from rightcall.lint.portability.null_union import without_null
from rightcall.lint.portability.rewrite import Losses


def unsupported(schema: dict[str, Any]) -> list[str]:
    """The keywords of one schema that strict mode does not compile, in their order."""
    facts = provider("anthropic-strict")
    return [key for key, value in schema.items() if _refused(key, value, facts.keywords, facts.formats)]


def _refused(key: str, value: Any, keywords: tuple[str, ...], formats: tuple[str, ...]) -> bool:
    if str(key).startswith("x-"):
        return False
    if key == "format":
        return value not in formats
    if key == "minItems":
        return value not in (0, 1)
    if key == "additionalProperties":
        return False
    return key not in keywords


def moved_to_text(schema: dict[str, Any], keys: list[str]) -> str:
    """The description with the keywords said in it: `How many days. {minimum: 1, maximum: 14}`."""
    said = ", ".join(f"{key}: {json.dumps(schema[key], ensure_ascii=False)}" for key in keys)
    text = schema.get("description")
    before = f"{text.rstrip()} " if isinstance(text, str) and text.strip() else ""
    return f"{before}{{{said}}}"


def strict_schema(schema: dict[str, Any], path: Path, losses: Losses) -> dict[str, Any]:
    """One schema as strict mode takes it. Parameters that took null only to be optional become optional."""
    schema = _optional_by_absence(schema)
    keys = unsupported(schema)
    if keys:
        text = moved_to_text(schema, keys)
        for key in keys:
            losses.add(path, key, "moved into the description: the model is told, not held to it")
        schema = {**{key: value for key, value in schema.items() if key not in keys}, "description": text}
    if "oneOf" in schema:
        losses.add(path, "oneOf", "written as anyOf: several variants may fit")
        schema = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    is_object = schema.get("type") == "object" or "properties" in schema
    if is_object and schema.get("additionalProperties") is not False:
        if schema.get("additionalProperties"):
            losses.add(path, "additionalProperties", "closed: free keys cannot be sent")
        schema = {**schema, "additionalProperties": False}
    return schema


def _optional_by_absence(schema: dict[str, Any]) -> dict[str, Any]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return schema
    plain = {
        name: without_null(inner) if isinstance(inner, dict) else inner for name, inner in properties.items()
    }
    kept = [name for name in required if plain.get(name) == properties.get(name)]
    if len(kept) == len(required):
        return schema
    return {**schema, "properties": plain, "required": kept}
