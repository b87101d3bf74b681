"""The format of OpenAI's chat completions, which most other servers use too.

It cannot express a tool's output schema, title and annotations; that a result is an error, its name, or an
output that is not text (written as JSON text, null as ""). The older `function_call` and role `function`
are read; `arguments` may be an object, as Mistral sends it. A refusal is read as the message's text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.records.call import ToolResult
from rightcall.records.dialects import wire
from rightcall.records.dialects.messages import read_items
from rightcall.records.dialects.reported_usage import chat_usage
from rightcall.records.dialects.stream_pieces import WHERE, AnswerStream, StreamedCall, require_part
from rightcall.records.message import Message, Role
from rightcall.records.record import Record, Several, plain_constructor
from rightcall.records.tool import Tool

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
    description = wire.field(raw, "description", str, where, path=path)
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


READ = frozenset(("role", "content", "refusal", "tool_calls", "function_call"))


class _Answer:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: list[StreamedCall] = []
        self.open: dict[int, StreamedCall] = {}
        self.refused = False

    def add_piece(self, piece: Any, place: int) -> None:
        """A piece of a call. Some servers send whole calls, all of them with the same index or with none."""
        if not isinstance(piece, dict):
            raise InputError(WHERE, f"has a call that is not an object: {str(piece)[:60]}")
        index = piece.get("index")
        held = piece.get("function") or piece.get("custom")
        key = index if isinstance(index, int) else place
        function = held if isinstance(held, dict) else {}
        call_id = str(piece.get("id") or "")
        name = str(function.get("name") or "")
        call = self.open.get(key)
        if call is None or _is_another(call, call_id, name):
            call = self.open[key] = StreamedCall()
            self.calls.append(call)
        call.id = call_id or call.id
        call.name = name or call.name
        arguments = function.get("arguments", function.get("input"))
        call.more(encode(arguments).decode() if isinstance(arguments, dict) else arguments)


def _is_another(call: StreamedCall, call_id: str, name: str) -> bool:
    """Whether a piece begins another call: by its id; without ids, a name after arguments that are complete."""
    if call_id and call.id:
        return call_id != call.id
    if not name or not call.name:
        return False
    return name != call.name or (call.call({}).arguments is not None and bool(call.arguments))


class ChatStream(AnswerStream):
    """Chunks by the `id` of their answer. Only the first choice may call."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: dict[str, _Answer] = {}

    def add(self, event: dict[str, Any]) -> None:
        choices = event.get("choices")
        if isinstance(usage := event.get("usage"), dict):
            self.usage = chat_usage(usage)
        self.leave(_containers(event, ("choices", "usage")))
        if not isinstance(choices, list):
            return
        answer = self._answers.setdefault(str(event.get("id") or ""), _Answer())
        for choice in choices:
            delta = choice.get("delta") if isinstance(choice, dict) else None
            if not isinstance(choice, dict) or choice.get("index"):
                if isinstance(delta, dict) and (delta.get("tool_calls") or delta.get("function_call")):
                    raise InputError(WHERE, "has several choices with calls", "ask for one choice")
                self.leave(choice)
                continue  # the first choice is the answer
            self.finish = str(choice.get("finish_reason") or self.finish)
            self.leave(_containers(choice, ("delta", "logprobs")))
            if isinstance(delta, dict):
                self._add_delta(answer, delta)
            if answer.refused and self.finish:
                self.finish = "refusal"

    def _add_delta(self, answer: _Answer, delta: dict[str, Any]) -> None:
        self.leave(_containers(delta, READ))
        if isinstance(old := delta.get("function_call"), dict):
            answer.add_piece({"function": old, "id": "function_call"}, -1)
        answer.refused = answer.refused or bool(delta.get("refusal"))
        for field in ("content", "refusal"):
            if isinstance(text := delta.get(field), str):
                answer.texts.append(text)
            elif isinstance(text, list):
                self._add_parts(answer, text)
        pieces = delta.get("tool_calls")
        if pieces and not isinstance(pieces, list):
            raise InputError(WHERE, "has tool_calls that are not a list")
        for place, piece in enumerate(pieces or ()):
            answer.add_piece(piece, place)

    def _add_parts(self, answer: _Answer, parts: list[Any]) -> None:
        """Content in parts, as Mistral sends it."""
        for block in parts:
            if isinstance(block, str):
                answer.texts.append(block)
                continue
            part = require_part(block)
            if part.call is not None:
                self.leave(block)  # calls come in tool_calls; one that is only here is refused
            elif isinstance(part.text, str):
                answer.texts.append(part.text)

    def messages(self) -> tuple[Message, ...]:
        messages = []
        for answer in self._answers.values():
            for call in answer.calls:
                if call.id == "function_call":  # the older field, which has no ids
                    call.id = ""
            if answer.texts or answer.calls:
                calls = tuple(call.call({}) for call in answer.calls)
                messages.append(Message("assistant", "".join(answer.texts), calls))
        return self.complete(tuple(messages))


def _containers(raw: dict[str, Any], read: Collection[str]) -> dict[str, Any]:
    """The fields that are not read and might hold something."""
    return {name: value for name, value in raw.items() if isinstance(value, dict | list) and name not in read}
