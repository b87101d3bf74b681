"""The format of Gemini's function declarations, tools only, with whole JSON Schemas.

It cannot express a tool's title and annotations.
"""

from __future__ import annotations

from typing import Any

from rightcall.records.dialects import wire
from rightcall.records.tool import Tool


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A function declaration with `parametersJsonSchema`."""
    name = wire.require_text(raw, "name", where, "")
    description = wire.field(raw, "description", str, where, path="")
    schema = wire.schema_of(raw, "parametersJsonSchema", where, "")
    output = (
        wire.field(raw, "responseJsonSchema", dict, where, path="") if "responseJsonSchema" in raw else None
    )
    return Tool(name, description, schema, output)


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool as an entry of `functionDeclarations`."""
    described = {"description": tool.description} if tool.description else {}
    returned = {} if tool.output_schema is None else {"responseJsonSchema": tool.output_schema}
    return {"name": tool.name, **described, "parametersJsonSchema": tool.input_schema, **returned}
