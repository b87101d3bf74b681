"""The tools of a team: a tool belongs to an agent, and agents may have different tools under one name."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from rightcall.records.tool import Tool


def team_tools(tools: Iterable[Tool]) -> list[Tool]:
    """The tools of all agents of a team, one for each name, in the order in which names first occur.

    Different definitions under one name become one that accepts what any of them accepts: a call that is right for
    the agent that makes it is never wrong for the team.
    """
    by_name: dict[str, list[Tool]] = {}
    for tool in tools:
        definitions = by_name.setdefault(tool.name, [])
        if tool not in definitions:
            definitions.append(tool)
    return [same_name[0] if len(same_name) == 1 else _any_of(same_name) for same_name in by_name.values()]


def _any_of(tools: list[Tool]) -> Tool:
    keys = [f"definition_{number}" for number in range(1, len(tools) + 1)]
    schemas = [
        _move_references(tool.input_schema, f"#/$defs/{key}") for key, tool in zip(keys, tools, strict=True)
    ]
    parameters = [schema.get("properties") or {} for schema in schemas]
    required = [schema.get("required") or [] for schema in schemas]
    merged = {
        "type": "object",
        "properties": {name: _parameter(name, parameters) for name in chain.from_iterable(parameters)},
        "required": [name for name in required[0] if all(name in other for other in required)],
        "anyOf": [{"$ref": f"#/$defs/{key}"} for key in keys],
        "$defs": dict(zip(keys, schemas, strict=True)),
    }
    descriptions = dict.fromkeys(tool.description for tool in tools if tool.description)
    return Tool(tools[0].name, "\n\n".join(descriptions), merged)


def _parameter(name: str, parameters: list[dict[str, Any]]) -> Any:
    """What all definitions say of a parameter; where they differ, `anyOf` of the whole says it."""
    different = [part.get(name) for part in parameters]
    return different[0] if all(schema == different[0] for schema in different) else {}


def _move_references(schema: Any, place: str) -> Any:
    """A schema with its references to itself as they read when it is part of another."""
    if isinstance(schema, list):
        return [_move_references(item, place) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"{place}{value[1:]}"
        if key == "$ref" and isinstance(value, str) and value.startswith("#")
        else _move_references(value, place)
        for key, value in schema.items()
    }
