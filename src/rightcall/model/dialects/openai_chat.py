"""The format of OpenAI's chat completions, which most other servers use too.

It cannot express a tool's output schema, title and annotations; that a result is an error, its name, or an
output that is not text (written as JSON text, null as ""). The older `function_call` and role `function`
are read; `arguments` may be an object, as Mistral sends it. A refusal is read as the message's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from rightcall.model.call import ToolResult
from rightcall.model.dialects import wire
from rightcall.model.dialects.messages import read_items
from rightcall.model.message import Message, Role
from rightcall.model.record import Record, Several, plain_constructor
from rightcall.model.tool import Tool

TOOL_FIELDS = ("name", "description", "parameters", "strict")

_message = plain_constructor(Message)


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A tool under `function`; without `parameters` it takes no arguments."""
    function = wire.require_type(raw.get("function"), dict, where, "function")
    return read_function(function, where, "function")


def read_function(raw: dict[str, Any], where: str, path: str) -> Tool:
    """The inner object: name, description, parameters."""
    wire.refuse_misspelt(raw, TOOL_FIELDS, where, path)
    name = wire.require_text(raw, "name", where, path)
    description = wire.field(raw, "description", str, where, path)
    return Tool(name, description, wire.schema_of(raw, "parameters", where, path))


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool definition for a request."""
    described = {"description": tool.description} if tool.description else {}
    return {"type": "function", "function": {"name": tool.name, **described, "parameters": tool.input_schema}}


def read_messages(raw: list[dict[str, Any]], where: str) -> tuple[Message, ...]:
    """Messages; neighbouring tool messages become one with all results."""
    return read_items(raw, where)


class ChatFunction(Record, frozen=True):
    """The inner object of a call, as OpenAI sends it."""

    name: str
    arguments: str


class ChatCall(Record, frozen=True):
    """A call, as OpenAI sends it."""

    function: ChatFunction
    id: str = ""
    type: Literal["function"] = "function"


class ChatMessage(Record, frozen=True):
    """A message exactly as OpenAI writes most of them; whatever differs is left to `read_messages`."""

    role: Role
    content: str | None = None
    tool_calls: Several[ChatCall] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    refusal: None = None
    function_call: None = None
    audio: None = None
    annotations: list[Any] | None = None


def read_typed(raw: Sequence[ChatMessage]) -> tuple[Message, ...] | None:
    """The same as `read_messages`, in half the time; None when no call shows that it is this format, or when a call
    must be refused.
    """
    has_calls = False
    for item in raw:
        if item.tool_calls is not None:
            has_calls = True
            if item.role != "assistant" or not all(call.function.name for call in item.tool_calls):
                return None
    return wire.merge_tool_messages(map(_read_message, raw)) if has_calls else None


def read_answer(raw: dict[str, Any]) -> Message | None:
    """An assistant's message with calls, if it is as OpenAI writes it; None leaves it to `read_messages`."""
    try:
        item = msgspec.convert(raw, ChatMessage)
    except msgspec.ValidationError:
        return None
    if item.role != "assistant" or item.name or item.tool_call_id or item.annotations:
        return None
    messages = read_typed((item,))
    return messages[0] if messages else None


def _read_message(item: ChatMessage) -> Message:
    if item.role == "tool":
        result = ToolResult(item.tool_call_id or "", item.content, name=item.name or "")
        return _message("tool", "", (), (result,))
    if not item.tool_calls:
        return _message(item.role, item.content or "")
    calls = [
        wire.parse_noted_call(call.function.name, call.function.arguments, call.id)
        for call in item.tool_calls
    ]
    return _message(item.role, item.content or "", tuple(calls))


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Messages for a request: one tool message per result."""
    written: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            written += [
                {"role": "tool", "tool_call_id": result.call_id, "content": wire.output_text(result.output)}
                for result in wire.results_of(message)
            ]
        elif message.calls:
            functions = [
                {"name": call.name, "arguments": wire.arguments_text(call)} for call in message.calls
            ]
            calls = [
                {"id": call.id, "type": "function", "function": function}
                for call, function in zip(message.calls, functions, strict=True)
            ]
            written.append({"role": message.role, "content": message.content or None, "tool_calls": calls})
        else:
            written.append({"role": message.role, "content": message.content})
    return written
