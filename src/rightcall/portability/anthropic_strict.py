"""The subset that Anthropic's strict mode compiles, as its SDK does it."""

from __future__ import annotations

import json
from typing import Any

from rightcall.files import JsonPath
from rightcall.portability.closed_objects import closed, is_object, with_known_required
from rightcall.portability.join import UnfitError, joined
from rightcall.portability.provider_limits import provider
from rightcall.portability.rewrite import UNSAID, Losses, without
from rightcall.portability.types import without_null


def unsupported(schema: dict[str, Any]) -> list[str]:
    """The keywords of one schema that strict mode does not compile, in order."""
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
    """The description with the keywords appended: `How many days. {minimum: 1, maximum: 14}`."""
    said = ", ".join(f"{key}: {json.dumps(schema[key], ensure_ascii=False)}" for key in keys)
    text = schema.get("description")
    before = f"{text.rstrip()} " if isinstance(text, str) and text.strip() else ""
    return f"{before}{{{said}}}"


def strict_schema(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """One schema for strict mode. Parameters that allowed null only to be optional become optional."""
    schema = _optional_by_absence(with_known_required(schema, path, losses))
    unsaid = [key for key in UNSAID if key in schema]
    for key in unsaid:
        losses.add(path, key, "removed")
    schema = without(schema, unsaid)
    keys = [key for key in schema if key in unsupported(schema) or _is_left_by_sdk(key, schema[key])]
    if keys:
        text = moved_to_text(schema, keys)
        for key in keys:
            losses.add(path, key, "moved into the description, where it is not enforced")
        schema = {**without(schema, keys), "description": text}
    if "oneOf" in schema:
        schema = _with_any_of(schema, path, losses)
    return closed(schema, path, losses) if is_object(schema) else schema


def _is_left_by_sdk(key: str, value: Any) -> bool:
    """What the SDK drops although the linter allows it: extensions, defaults, whole values."""
    if key == "const":
        return isinstance(value, dict | list)
    return key == "default" or key.startswith("x-")


def _with_any_of(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    losses.add(path, "oneOf", "written as anyOf: several variants may match")
    schema, variants = without(schema, ["oneOf"]), schema["oneOf"]
    try:
        return joined(schema, {"anyOf": variants}, path, losses)
    except UnfitError as unfit:
        losses.refuse(path, "oneOf", f"no value matches: {unfit}")
        return schema


def _optional_by_absence(schema: dict[str, Any]) -> dict[str, Any]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return schema
    required = [name for name in required if isinstance(name, str)]
    plain = {
        name: without_null(inner) if isinstance(inner, dict) else inner for name, inner in properties.items()
    }
    kept = [name for name in required if plain.get(name) == properties.get(name)]
    if len(kept) == len(required):
        return schema
    return {**schema, "properties": plain, "required": kept}
