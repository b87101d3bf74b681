"""The format of OpenAI's chat completions, which most other servers use too.

It cannot express a tool's output schema, title and annotations; that a result is an error, its name, or an
output that is not text (written as JSON text, null as ""). The older `function_call` and role `function`
are read; `arguments` may be an object, as Mistral sends it. A refusal is read as the message's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.dialects import wire
from rightcall.model.message import Message, Role
from rightcall.model.record import Record, Several, plain_constructor
from rightcall.model.tool import Tool

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
MESSAGE_FIELDS = ("role", "content", "tool_calls", "tool_call_id", "function_call", "refusal", "name")
TOOL_FIELDS = ("name", "description", "parameters", "strict")

_WORDS = frozenset(("role", "content"))
_message = plain_constructor(Message)


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A tool under `function`; without `parameters` it takes no arguments."""
    function = wire.checked(raw.get("function"), dict, where, "function")
    return read_function(function, where, "function")


def read_function(raw: dict[str, Any], where: str, path: str) -> Tool:
    """The inner object: name, description, parameters."""
    wire.refuse_misspelt(raw, TOOL_FIELDS, where, path)
    name, description = (
        wire.needed(raw, "name", where, path),
        wire.field(raw, "description", str, where, path),
    )
    return Tool(name, description, wire.schema_of(raw, "parameters", where, path))


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool definition for a request."""
    described = {"description": tool.description} if tool.description else {}
    return {"type": "function", "function": {"name": tool.name, **described, "parameters": tool.input_schema}}


def read_messages(raw: list[dict[str, Any]], where: str) -> tuple[Message, ...]:
    """Messages; neighbouring tool messages become one with all results."""
    return wire.joined(_read_message(item, where, f"messages[{i}]") for i, item in enumerate(raw))


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
    """The same as `read_messages`, in half the time; None when no call shows that it is this format."""
    if all(item.tool_calls is None for item in raw):
        return None
    return wire.joined(map(_typed_message, raw))


def _typed_message(item: ChatMessage) -> Message:
    if item.role == "tool":
        result = ToolResult(item.tool_call_id or "", item.content, name=item.name or "")
        return _message("tool", "", (), (result,))
    if not item.tool_calls:
        return _message(item.role, item.content or "")
    calls = [
        wire.parsed_call(call.function.name, call.function.arguments, call.id) for call in item.tool_calls
    ]
    return _message(item.role, item.content or "", tuple(calls))


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Messages for a request: one tool message per result."""
    written: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            written += [_write_result(result) for result in wire.results_of(message)]
        elif message.calls:
            calls = [_write_call(call) for call in message.calls]
            written.append({"role": message.role, "content": message.content or None, "tool_calls": calls})
        else:
            written.append({"role": message.role, "content": message.content})
    return written


def _read_message(item: dict[str, Any], where: str, path: str) -> Message:
    wire.refuse_misspelt(item, MESSAGE_FIELDS, where, path)
    role, content = wire.role_of(item, ROLES, where, path), item.get("content")
    if role == "tool":
        call_id, name = (
            wire.field(item, "tool_call_id", str, where, path),
            wire.field(item, "name", str, where, path),
        )
        output = content if type(content) is str else wire.output_of(content, where, f"{path}.content")
        return _message("tool", "", (), (ToolResult(call_id, output, name=name),))
    text = content if type(content) is str else wire.text_of(content, where, f"{path}.content")
    text = text or wire.field(item, "refusal", str, where, path)
    if item.keys() <= _WORDS:
        return _message(role, text)
    return _message(role, text, tuple(_read_calls(item, where, path)))


def _read_calls(item: dict[str, Any], where: str, path: str) -> list[ToolCall]:
    calls = wire.field(item, "tool_calls", list, where, path)
    found = [_read_call(call, where, f"{path}.tool_calls[{i}]") for i, call in enumerate(calls)]
    if item.get("function_call") is not None and not found:
        found.append(_read_call({"function": item["function_call"]}, where, f"{path}.function_call"))
    return found


def _read_call(raw: Any, where: str, path: str) -> ToolCall:
    wire.checked(raw, dict, where, path)
    call_id = wire.field(raw, "id", str, where, path)
    if isinstance(raw.get("custom"), dict):  # a custom tool takes free text, not JSON
        custom = raw["custom"]
        text = wire.field(custom, "input", str, where, f"{path}.custom")
        return ToolCall(wire.field(custom, "name", str, where, f"{path}.custom"), None, call_id, raw=text)
    function = wire.field(raw, "function", dict, where, path)
    name = wire.field(function, "name", str, where, f"{path}.function")
    return wire.parsed_call(name, function.get("arguments"), call_id)


def _write_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": wire.arguments_text(call)}
    return {"id": call.id, "type": "function", "function": function}


def _write_result(result: ToolResult) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": result.call_id, "content": wire.output_text(result.output)}
