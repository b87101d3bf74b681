"""Definitions of tools as requests list them, in any spelling."""

from __future__ import annotations

from typing import Any

from rightcall.core.errors import InputError
from rightcall.model.dialects import read_tool
from rightcall.model.tool import Tool


def tool_name(definition: dict[str, Any]) -> str:
    """The name in a definition of any spelling; empty when there is none."""
    function = definition.get("function")
    name = function.get("name") if isinstance(function, dict) else definition.get("name")
    return name if isinstance(name, str) else ""


def tools_from(definitions: list[dict[str, Any]]) -> tuple[Tool, ...]:
    """Tools by name from definitions in any format; invalid ones are skipped."""
    tools: dict[str, Tool] = {}
    for raw in definitions:
        name = tool_name(raw)
        if not name or name in tools:  # every request repeats them
            continue
        cleaned = {key: value for key, value in raw.items() if value is not None}
        try:
            tool = read_tool(cleaned, "a tool definition")
        except InputError:
            continue
        if tool.name:
            tools.setdefault(tool.name, tool)
    return tuple(tools.values())
