"""The format of Anthropic's Messages API: `input_schema`, `tool_use` and `tool_result` blocks.

It cannot express a tool's output schema, title and annotations; system messages (they are a field of the
request: `system_text`); the name of a result; arguments that did not parse (written as `{}`); outputs that
are neither text nor a list of blocks (written as JSON text). Thinking blocks are kept unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from rightcall.model.call import ToolResult
from rightcall.model.dialects import wire
from rightcall.model.dialects.messages import read_items
from rightcall.model.message import Message
from rightcall.model.record import Record, Several, plain_constructor
from rightcall.model.tool import Tool

TOOL_FIELDS = tuple(Tool.__struct_fields__)
_message = plain_constructor(Message)


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A tool; fields only Anthropic's servers need (`cache_control`, `strict`, …) are ignored."""
    wire.refuse_misspelt(raw, TOOL_FIELDS, where)
    name = wire.require_text(raw, "name", where, "")
    description = wire.field(raw, "description", str, where, "")
    return Tool(name, description, wire.schema_of(raw, "input_schema", where, ""))


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool definition for a request."""
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": tool.input_schema}


def read_messages(raw: list[dict[str, Any]], where: str) -> tuple[Message, ...]:
    """Messages; a user message with results becomes a tool message, then a user message if it has text."""
    return read_items(raw, where)


class TextBlock(Record, frozen=True, tag_field="type", tag="text"):
    """Text."""

    text: str


class UseBlock(Record, frozen=True, tag_field="type", tag="tool_use"):
    """A call."""

    name: str
    input: dict[str, Any]
    id: str = ""


class ResultBlock(Record, frozen=True, tag_field="type", tag="tool_result"):
    """The result of a call, as text."""

    tool_use_id: str
    content: str | None = None
    is_error: bool = False


class BlockMessage(Record, frozen=True):
    """A message exactly as Anthropic writes most of them; whatever differs is left to `read_messages`."""

    role: Literal["user", "assistant", "system"]
    content: str | Several[TextBlock | UseBlock | ResultBlock]


def read_typed(raw: Sequence[BlockMessage]) -> tuple[Message, ...] | None:
    """The same as `read_messages`, in half the time; None when no block shows that it is this format, or when a call
    must be refused.
    """
    messages: list[Message] = []
    has_calls = False
    for item in raw:
        if isinstance(item.content, str):
            messages.append(_message(item.role, item.content))
            continue
        calls, results, text = [], [], ""
        for block in item.content:
            if type(block) is UseBlock:
                if not block.name or item.role != "assistant":
                    return None  # refused by `read_messages`, with its place
                calls.append(wire.parse_call(block.name, block.input, block.id))
            elif type(block) is ResultBlock:
                results.append(ToolResult(block.tool_use_id, block.content, block.is_error))
            elif type(block) is TextBlock:
                text += block.text
        has_calls = has_calls or bool(calls or results)
        if results:
            messages.append(_message("tool", "", (), tuple(results)))
        if text or calls or not results:
            messages.append(_message(item.role, text, tuple(calls)))
    return wire.merge_tool_messages(messages) if has_calls else None


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Messages for a request: all results of a turn in one user message, before any text."""
    written: list[dict[str, Any]] = []
    open_results: list[dict[str, Any]] | None = None
    for message in wire.merge_tool_messages(messages):
        if message.role == "tool":
            open_results = [_write_result(result) for result in wire.results_of(message)]
            written.append({"role": "user", "content": open_results})
        elif message.role == "user" and open_results:
            open_results.append({"type": "text", "text": message.content})
            open_results = None
        elif message.role != "system":
            written.append(_write_spoken(message))
            open_results = None
    return written


def system_text(messages: Iterable[Message]) -> str:
    """The system messages, for the request's `system` field."""
    return "\n\n".join(m.content for m in messages if m.role == "system" and m.content)


def _write_spoken(message: Message) -> dict[str, Any]:
    if not message.calls and not message.thinking:
        return {"role": message.role, "content": message.content}
    text = [{"type": "text", "text": message.content}] if message.content else []
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments or {}}
        for call in message.calls
    ]
    return {"role": message.role, "content": [*message.thinking, *text, *calls]}


def _write_result(result: ToolResult) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.call_id}
    if result.output is not None:
        parts = result.output if isinstance(result.output, list) else []
        are_blocks = parts and all(isinstance(b, dict) and isinstance(b.get("type"), str) for b in parts)
        block["content"] = parts if are_blocks else wire.output_text(result.output)
    if result.is_error:
        block["is_error"] = True
    return block
