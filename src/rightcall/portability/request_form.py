"""Converted tools in the format of their target's request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.portability.convert import Converted


def request(tools: Sequence[Converted], target: str) -> Any:
    """The value to put into a request.

    OpenAI and Anthropic: the list `tools`. Gemini: an entry of `tools`. Bedrock: `toolConfig`.
    MCP: the result of `tools/list`.
    """
    if target in ("openai", "openai-strict"):
        strict = {"strict": True} if target == "openai-strict" else {}
        return [
            {"type": "function", "function": {**_definition(tool, "parameters"), **strict}} for tool in tools
        ]
    if target in ("anthropic", "anthropic-strict"):
        strict = {"strict": True} if target == "anthropic-strict" else {}
        return [{**_definition(tool, "input_schema"), **strict} for tool in tools]
    if target == "gemini":
        return {"functionDeclarations": [_definition(tool, "parameters") for tool in tools]}
    if target == "bedrock":
        return {"tools": [{"toolSpec": _bedrock(tool)} for tool in tools]}
    return {"tools": [_definition(tool, "inputSchema") for tool in tools]}


def _definition(tool: Converted, schema_key: str) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, schema_key: tool.input_schema, **tool.fields}


def _bedrock(tool: Converted) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "inputSchema": {"json": tool.input_schema}}
