"""The format of OpenAI's Responses API: flat function tools and a list of items instead of messages.

An assistant message and the calls after it are one turn, so they are read as one message; text after
calls joins them too. It cannot express a tool's title and annotations; that a result is an error, its name,
or an output that is not text (written as JSON text, null as ""); two assistant messages in a row
of which the first only has calls or the second has no text. Calls of the provider's own tools (`web_search_call`, …)
are read as calls of `web_search`, …; reasoning is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from rightcall.model.dialects import wire
from rightcall.model.dialects.messages import read_items
from rightcall.model.dialects.openai_chat import read_function
from rightcall.model.message import Message
from rightcall.model.tool import Tool


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
    return read_items(raw, where, joins=True)


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Items for a request's `input`."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            items += [
                {
                    "type": "function_call_output",
                    "call_id": result.call_id,
                    "output": wire.output_text(result.output),
                }
                for result in wire.results_of(message)
            ]
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
