"""The format of Anthropic's Messages API: `input_schema`, `tool_use` and `tool_result` blocks.

It cannot express a tool's output schema, title and annotations; system messages (they are a field of the
request: `system_text`); the name of a result; arguments that did not parse (written as `{}`); outputs that
are neither text nor a list of blocks (written as JSON text). Thinking blocks are kept unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, Literal

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.records.call import ToolResult
from rightcall.records.dialects import wire
from rightcall.records.dialects.messages import read_items
from rightcall.records.dialects.reported_usage import anthropic_usage
from rightcall.records.dialects.stream_pieces import WHERE, AnswerStream, StreamedCall, require_part
from rightcall.records.message import Message
from rightcall.records.record import Record, Several, plain_constructor
from rightcall.records.tool import Tool
from rightcall.records.trajectory import token_count

TOOL_FIELDS = tuple(Tool.__struct_fields__)
_message = plain_constructor(Message)


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A tool; fields only Anthropic's servers need (`cache_control`, `strict`, …) are ignored."""
    wire.refuse_misspelt(raw, TOOL_FIELDS, where)
    name = wire.require_text(raw, "name", where, "")
    description = wire.field(raw, "description", str, where, path="")
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
        calls = []
        results = []
        text = ""
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


class AnthropicStream(AnswerStream):
    """Blocks by index; every `message_start` starts an answer."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: list[dict[int, list[str] | StreamedCall]] = []
        self._counts: dict[str, int] = {}

    def add(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        index = event.get("index")
        if kind == "message_start" or not self._answers:
            self._answers.append({})
        place = index if isinstance(index, int) else 0
        if kind == "message_start" and isinstance(message := event.get("message"), dict):
            self._count(message.get("usage"))
            self.leave(message)
        elif kind == "content_block_start":
            self._begin(place, event.get("content_block"))
        elif kind == "content_block_delta":
            self._continue(place, event.get("delta"))
        elif kind == "message_delta":
            delta = event.get("delta")
            self.finish = str((delta if isinstance(delta, dict) else {}).get("stop_reason") or self.finish)
            self._count(event.get("usage"))
            self.leave(delta)
        elif kind == "message_stop":
            self.ended = True
        elif kind == "error":
            error = event.get("error")
            self.error = str((error if isinstance(error, dict) else {}).get("message") or "error")
        else:
            self.leave(event)

    def _begin(self, index: int, block: Any) -> None:
        blocks = self._answers[-1]
        part = require_part(block)
        if part.call is not None:
            call = blocks[index] = StreamedCall(str(part.call.id or ""), str(part.call.name or ""))
            if isinstance(part.call.arguments, dict) and part.call.arguments:
                call.more(encode(part.call.arguments).decode())
        elif part.text is not None:
            blocks[index] = [str(part.text)]
        elif part.result is None:
            self.leave(block)

    def _continue(self, index: int, delta: Any) -> None:
        block = self._answers[-1].get(index)
        if not isinstance(delta, dict):
            return
        if isinstance(block, StreamedCall):
            block.more(delta.get("partial_json"))
        elif isinstance(delta.get("partial_json"), str) and block is None:
            raise InputError(WHERE, f"has the arguments of a call in block {index}, which never began")
        elif isinstance(block, list) and isinstance(delta.get("text"), str):
            block.append(delta["text"])
        else:
            self.leave(delta)

    def messages(self) -> tuple[Message, ...]:
        messages = []
        for answer in filter(None, self._answers):
            blocks = [block for _, block in sorted(answer.items(), key=itemgetter(0))]
            text = "".join("".join(block) for block in blocks if isinstance(block, list))
            calls = tuple(block.call({}) for block in blocks if isinstance(block, StreamedCall))
            messages.append(Message("assistant", text, calls))
        return self.complete(tuple(messages))

    def _count(self, usage: Any) -> None:
        """Totals so far; the last event has the whole output, the first the whole input."""
        if isinstance(usage, dict):
            for name, count in usage.items():
                self._counts[name] = max(self._counts.get(name, 0), token_count(count))
            self.usage = anthropic_usage(self._counts)
