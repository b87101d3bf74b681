"""The format of Bedrock's Converse API, tools only: `{"toolSpec": {…, "inputSchema": {"json": …}}}`.

It cannot express a tool's result, title and annotations.
"""

from __future__ import annotations

from typing import Any

from rightcall.records.dialects import wire
from rightcall.records.tool import Tool


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A tool of `toolConfig`."""
    spec = wire.field(raw, "toolSpec", dict, where, path="")
    schema = wire.schema_of(
        wire.field(spec, "inputSchema", dict, where, path="toolSpec"), "json", where, "inputSchema"
    )
    name = wire.require_text(spec, "name", where, "toolSpec")
    return Tool(name, wire.field(spec, "description", str, where, path="toolSpec"), schema)


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool as an entry of `toolConfig.tools`."""
    described = {"description": tool.description} if tool.description else {}
    return {"toolSpec": {"name": tool.name, **described, "inputSchema": {"json": tool.input_schema}}}
