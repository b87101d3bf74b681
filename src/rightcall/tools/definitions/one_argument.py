"""One argument alone against a tool's schema, as if no other were required."""

from __future__ import annotations

from typing import Any

from rightcall.model.tool import Tool
from rightcall.tools.definitions.validate import MOST_VALIDATORS, Problem, schema_problems

_relaxed: dict[int, tuple[Any, dict[str, Any]]] = {}


def argument_problems(tool: Tool, name: str, value: Any) -> list[Problem]:
    """What the tool's schema has against this value of this parameter; `$defs` of the schema are kept in sight."""
    schema = tool.input_schema
    kept = _relaxed.get(id(schema))
    if kept is None:
        if len(_relaxed) >= MOST_VALIDATORS:
            _relaxed.clear()
        # The schema is kept beside what is made of it, so that its identity is not given to another.
        kept = _relaxed[id(schema)] = (schema, {k: v for k, v in schema.items() if k != "required"})
    return schema_problems(kept[1], {name: value}, f"tool '{tool.name}'")
