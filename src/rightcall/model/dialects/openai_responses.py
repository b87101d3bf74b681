"""The format of OpenAI's Responses API: flat function tools and a list of items instead of messages.

An assistant message and the calls after it are one turn, so they are read as one message; text after
calls joins them too. It cannot express a tool's title and annotations; that a result is an error, its name,
or an output that is not text (written as JSON text, null as ""); two assistant messages in a row
of which the first only has calls or the second has no text. Reasoning and hosted tools are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.dialects import wire
from rightcall.model.dialects.openai_chat import ROLES, read_function
from rightcall.model.message import Message, Role
from rightcall.model.tool import Tool

SPEAKERS = {name: role for name, role in ROLES.items() if role != "tool"}
CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
OUTPUTS = ("function_call_output", "custom_tool_call_output")
ITEMS = (*CALLS, *OUTPUTS, "reasoning", "item_reference")
PARTS = ("input_text", "output_text", "input_image", "input_file")
"""Item and part types that identify a list in this format."""


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A flat function tool; also a bare `{name, description, parameters}`."""
    tool = read_function(raw, where, "")
    if raw.get("output_schema") is None:
        return tool
    return replace(tool, output_schema=wire.field(raw, "output_schema", dict, where, ""))


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool definition for a request.

    `strict` is written because its absence makes this API rewrite the schema when it can.
    """
    described = {"description": tool.description} if tool.description else {}
    written = {"type": "function", "name": tool.name, **described, "parameters": tool.input_schema}
    if tool.output_schema is not None:
        written["output_schema"] = tool.output_schema
    return {**written, "strict": False}


def read_messages(raw: list[dict[str, Any]], where: str) -> tuple[Message, ...]:
    """Items as messages: what the model emitted at once is one assistant message."""
    found: list[Message] = []
    for i, item in enumerate(raw):
        path, kind = f"messages[{i}]", item.get("type", "message")
        if not isinstance(kind, str):
            continue
        if kind == "message":
            _add_spoken(
                found,
                wire.role_of(item, SPEAKERS, where, path),
                wire.text_of(item.get("content"), where, path),
            )
        elif kind in CALLS:
            _add_call(found, _read_call(item, kind, where, path))
        elif kind in OUTPUTS:
            call_id = wire.field(item, "call_id", str, where, path)
            output = wire.output_of(item.get("output"), where, f"{path}.output")
            found.append(Message("tool", results=(ToolResult(call_id, output),)))
    return wire.joined(found)


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Items for a request's `input`."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            items += [_write_result(result) for result in wire.results_of(message)]
            continue
        if message.content or not message.calls:
            items.append({"type": "message", "role": message.role, "content": message.content})
        items += [
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": wire.arguments_text(call),
            }
            for call in message.calls
        ]
    return items


def _add_spoken(found: list[Message], role: Role, text: str) -> None:
    last = found[-1] if found else None
    if role == "assistant" and last and last.role == "assistant" and last.calls and not last.content:
        found[-1] = replace(last, content=text)
    else:
        found.append(Message(role, text))


def _add_call(found: list[Message], call: ToolCall) -> None:
    if found and found[-1].role == "assistant":
        found[-1] = replace(found[-1], calls=(*found[-1].calls, call))
    else:
        found.append(Message("assistant", calls=(call,)))


def _read_call(item: dict[str, Any], kind: str, where: str, path: str) -> ToolCall:
    call_id = wire.field(item, "call_id", str, where, path) or wire.field(item, "id", str, where, path)
    name, arguments = wire.field(item, "name", str, where, path), item.get(CALLS[kind])
    if kind == "custom_tool_call":  # takes free text, not JSON
        return ToolCall(name, None, call_id, raw=wire.output_text(arguments))
    return wire.parsed_call(name, arguments, call_id)


def _write_result(result: ToolResult) -> dict[str, Any]:
    return {
        "type": "function_call_output",
        "call_id": result.call_id,
        "output": wire.output_text(result.output),
    }
