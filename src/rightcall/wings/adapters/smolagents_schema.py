"""The inputs of a smolagents tool as JSON Schema.

smolagents adds the types `any`, `image` and `audio`, at any depth, and marks what may be null by `nullable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JSON_TYPES = frozenset(("string", "boolean", "integer", "number", "array", "object", "null"))


def input_schema(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a call's arguments; a type that JSON Schema does not have allows any value."""
    required = [name for name, schema in inputs.items() if not schema.get("nullable")]
    return {"type": "object", "properties": _each(inputs), "required": required}


def _each(schemas: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _standard(schema) for name, schema in schemas.items()}


def _standard(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    standard = {
        key: _each(value) if key == "properties" and isinstance(value, dict) else _standard(value)
        for key, value in schema.items()
        if key not in ("type", "nullable")
    }
    kinds = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
    if JSON_TYPES.issuperset(kinds):
        nullable = schema.get("nullable") is True and "null" not in kinds
        standard["type"] = [*kinds, "null"] if nullable else schema["type"]
    return standard
