"""The format of the Model Context Protocol, tools only: `inputSchema`, `outputSchema`, hints.

It expresses everything a `Tool` has. Its own `_meta`, `icons` and `execution` are ignored.
"""

from __future__ import annotations

from typing import Any

from rightcall.records.dialects import wire
from rightcall.records.tool import Annotations, Tool

FIELDS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A tool as returned by a server's `tools/list`."""
    wire.refuse_misspelt(raw, FIELDS, where)
    hinted_title, annotations = read_hints(wire.field(raw, "annotations", dict, where, path=""), where)
    name = wire.require_text(raw, "name", where, "")
    description = wire.field(raw, "description", str, where, path="")
    title = wire.field(raw, "title", str, where, path="") or hinted_title
    output_schema = wire.field(raw, "outputSchema", dict, where, path="") if "outputSchema" in raw else None
    schema = wire.schema_of(raw, "inputSchema", where, "")
    return Tool(name, description, schema, output_schema, title=title, annotations=annotations)


def read_hints(hints: dict[str, Any], where: str) -> tuple[str, Annotations]:
    """The title and the hints under `annotations`."""
    wire.refuse_misspelt(hints, (*HINTS, "title"), where, "annotations")
    stated = {
        ours: wire.require_type(hints[theirs], bool, where, f"annotations.{theirs}")
        for theirs, ours in HINTS.items()
        if hints.get(theirs) is not None
    }
    return wire.field(hints, "title", str, where, path="annotations"), Annotations(**stated)


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool as a server would list it."""
    written: dict[str, Any] = {"name": tool.name}
    if tool.title:
        written["title"] = tool.title
    if tool.description:
        written["description"] = tool.description
    written["inputSchema"] = tool.input_schema
    if tool.output_schema is not None:
        written["outputSchema"] = tool.output_schema
    if annotations := hints_of(tool):
        written["annotations"] = annotations
    return written


def hints_of(tool: Tool) -> dict[str, bool]:
    """The annotations of a tool that it states."""
    hints = {theirs: getattr(tool.annotations, ours) for theirs, ours in HINTS.items()}
    return {hint: value for hint, value in hints.items() if value is not None}
