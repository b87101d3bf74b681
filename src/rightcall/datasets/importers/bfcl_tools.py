"""BFCL's function documents as tool definitions in JSON Schema."""

from __future__ import annotations

from typing import Any

import msgspec

JSON_TYPES = {"dict": "object", "float": "number", "tuple": "array"}
"""BFCL types that have another name in JSON Schema. `any` is omitted: a schema without a type allows any."""

NOT_A_KEYWORD = frozenset(("optional",))
"""BFCL's marker for optional parameters; in JSON Schema they are missing from `required`."""


class Parameters(msgspec.Struct):
    properties: dict[str, dict[str, Any]]
    required: list[str] = []


class BfclFunction(msgspec.Struct):
    name: str
    parameters: Parameters
    description: str = ""


def tool_definition(function: BfclFunction) -> dict[str, Any]:
    """The function as an inline tool of a golden."""
    schema = {
        "type": "object",
        "properties": {name: json_schema(schema) for name, schema in function.parameters.properties.items()},
        "required": function.parameters.required,
    }
    return {"name": function.name, "description": function.description, "input_schema": schema}


def json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema with the types of JSON Schema, at every depth."""
    made: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "type" and isinstance(value, str):
            if value != "any":
                made["type"] = JSON_TYPES.get(value, value)
        elif keyword == "properties" and isinstance(value, dict):
            made[keyword] = {
                name: json_schema(inner) if isinstance(inner, dict) else inner
                for name, inner in value.items()
            }
        elif keyword == "items" and isinstance(value, dict):
            made[keyword] = json_schema(value)
        elif keyword not in NOT_A_KEYWORD:
            made[keyword] = value
    return made
