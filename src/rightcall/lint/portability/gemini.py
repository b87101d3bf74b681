"""What Gemini's Schema type has fields for."""

from __future__ import annotations

import json
from typing import Any

from rightcall.lint.diagnostic import Path
from rightcall.lint.facts.providers import provider
from rightcall.lint.portability.rewrite import Losses, into_description

_SILENT = ("$schema", "$id", "$comment", "examples")


def gemini_schema(schema: dict[str, Any], path: Path, losses: Losses) -> dict[str, Any]:
    """One schema in Gemini's fields; what has no field moves into the description."""
    schema = dict(schema)
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    if isinstance(schema.get("type"), list):
        kinds = [kind for kind in schema["type"] if kind != "null"]
        if len(kinds) < len(schema["type"]):
            schema["nullable"] = True
        if len(kinds) == 1:
            schema["type"] = kinds[0]
        elif kinds:
            del schema["type"]
            schema["anyOf"] = [{"type": kind} for kind in kinds]
    if "oneOf" in schema and "anyOf" not in schema:
        losses.add(path, "oneOf", "written as anyOf: several variants may fit")
        schema["anyOf"] = schema.pop("oneOf")
    if "definitions" in schema and "$defs" not in schema:
        schema["$defs"] = schema.pop("definitions")
    for exclusive, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        bound = schema.get(exclusive)
        if isinstance(bound, int) and not isinstance(bound, bool) and schema.get("type") == "integer":
            schema[plain] = bound + 1 if plain == "minimum" else bound - 1
            del schema[exclusive]
    known = provider("gemini").keywords
    unknown = [key for key in schema if key not in known and key not in _SILENT]
    said = "; ".join(f"{key}: {json.dumps(schema[key], ensure_ascii=False, default=str)}" for key in unknown)
    for key in unknown:
        losses.add(path, key, "moved into the description: Gemini has no field for it")
    schema = {key: value for key, value in schema.items() if key in known}
    return into_description(schema, f"({said})") if said else schema
