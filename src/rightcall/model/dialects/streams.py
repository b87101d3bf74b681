"""Streamed answers, event by event: chat chunks, Anthropic's and Responses' events, AG-UI. Pure, no I/O.

`stream_of(event)` starts the stream that such an event belongs to; `stream.messages()` is the content so far,
as RightCall messages. Unknown events are skipped: providers add new kinds all the time. Unknown blocks are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rightcall.errors import InputError
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.codec import encode
from rightcall.model.dialects import openai_responses, wire
from rightcall.model.dialects.parts import read_part
from rightcall.model.message import Message
from rightcall.model.trajectory import Usage, token_count

WHERE = "stream"


class AnswerStream(Protocol):
    """The events of one format, accumulated. `usage`, `finish` and `error` are as reported by the stream."""

    usage: Usage
    finish: str
    error: str

    def add(self, event: dict[str, Any]) -> None: ...

    def messages(self) -> tuple[Message, ...]: ...


def stream_of(event: dict[str, Any]) -> AnswerStream | None:
    """A new stream for this event's format; None when it has none."""
    kind = event.get("type")
    if isinstance(event.get("choices"), list):
        return ChatStream()
    if not isinstance(kind, str):
        return None
    if kind.startswith("response."):
        return ResponsesStream()
    if kind in ("message_start", "content_block_start", "content_block_delta", "message_delta"):
        return AnthropicStream()
    return AguiStream() if kind.isupper() else None


def calls_of(messages: Sequence[Message]) -> list[ToolCall]:
    """Every call of some messages."""
    return [call for message in messages for call in message.calls]


def text_of(messages: Sequence[Message]) -> str:
    """The assistant's text in some messages."""
    return "".join(message.content for message in messages if message.role == "assistant")


class _Call:
    """A call whose arguments arrive in pieces; None until the first piece arrives."""

    def __init__(self, call_id: str = "", name: str = "") -> None:
        self.id, self.name = call_id, name
        self.arguments: str | None = None

    def more(self, piece: Any) -> None:
        if isinstance(piece, str):
            self.arguments = (self.arguments or "") + piece

    def call(self, empty: dict[str, Any] | None = None) -> ToolCall:
        if self.arguments is None or (not self.arguments and empty is not None):
            return ToolCall(self.name, empty, self.id)
        return wire.parsed_call(self.name, self.arguments, self.id)


class _Totals:
    def __init__(self) -> None:
        self.usage, self.finish, self.error = Usage(), "", ""


class ChatStream(_Totals):
    """OpenAI's chat completion chunks; each `id` is one answer."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: dict[str, tuple[list[str], dict[int, _Call]]] = {}

    def add(self, event: dict[str, Any]) -> None:
        texts, calls = self._answers.setdefault(str(event.get("id") or ""), ([], {}))
        if isinstance(given := event.get("usage"), dict):
            self.usage = _usage(given, "prompt_tokens", "completion_tokens")
        for choice in event.get("choices") or ():
            delta = choice.get("delta") if isinstance(choice, dict) else None
            if not isinstance(choice, dict) or choice.get("index"):
                if isinstance(delta, dict) and (delta.get("tool_calls") or delta.get("function_call")):
                    raise InputError(WHERE, "has several choices with calls", "ask for one choice")
                continue  # the first choice is the answer
            self.finish = str(choice.get("finish_reason") or self.finish)
            if not isinstance(delta, dict):
                continue
            if isinstance(old := delta.get("function_call"), dict):
                _add_piece(calls, {"function": old}, -1)
            for field in ("content", "refusal"):
                if isinstance(delta.get(field), str):
                    texts.append(delta[field])
            for place, piece in enumerate(delta.get("tool_calls") or ()):
                if isinstance(piece, dict):
                    _add_piece(calls, piece, place)

    def messages(self) -> tuple[Message, ...]:
        return tuple(
            Message("assistant", "".join(texts), tuple(call.call({}) for _, call in sorted(calls.items())))
            for texts, calls in self._answers.values()
            if texts or calls
        )


def _add_piece(calls: dict[int, _Call], piece: dict[str, Any], place: int) -> None:
    index = piece.get("index")
    call = calls.setdefault(index if isinstance(index, int) else place, _Call())
    function = piece.get("function")
    call.id = str(piece.get("id") or call.id)
    if isinstance(function, dict):
        call.name = str(function.get("name") or call.name)
        call.more(function.get("arguments"))


class AnthropicStream(_Totals):
    """Anthropic's message events: blocks by index; every `message_start` starts an answer."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: list[dict[int, list[str] | _Call]] = []

    def add(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "message_start" or not self._answers:
            self._answers.append({})
        blocks = self._answers[-1]
        index = event.get("index") if isinstance(event.get("index"), int) else 0
        assert isinstance(index, int)
        if kind == "message_start":
            self._count((event.get("message") or {}).get("usage"))
        elif kind == "content_block_start":
            block = event.get("content_block") or {}
            part = read_part(block) if isinstance(block, dict) else None
            if part is None or not part.known:
                raise InputError(WHERE, f"has a block that is of no kind that is read: {str(block)[:80]}")
            if part.call is not None:
                call = blocks[index] = _Call(str(part.call.id or ""), str(part.call.name or ""))
                if isinstance(part.call.arguments, dict) and part.call.arguments:
                    call.more(encode(part.call.arguments).decode())
            elif part.text is not None:
                blocks[index] = [str(part.text)]
        elif kind == "content_block_delta":
            delta, block = event.get("delta") or {}, blocks.get(index)
            if isinstance(block, _Call):
                block.more(delta.get("partial_json"))
            elif isinstance(block, list) and isinstance(delta.get("text"), str):
                block.append(delta["text"])
        elif kind == "message_delta":
            self.finish = str((event.get("delta") or {}).get("stop_reason") or self.finish)
            self._count(event.get("usage"))
        elif kind == "error":
            self.error = str((event.get("error") or {}).get("message") or "error")

    def messages(self) -> tuple[Message, ...]:
        return tuple(
            Message(
                "assistant",
                "".join("".join(block) for _, block in sorted(blocks.items()) if isinstance(block, list)),
                tuple(block.call({}) for _, block in sorted(blocks.items()) if isinstance(block, _Call)),
            )
            for blocks in self._answers
            if blocks
        )

    def _count(self, given: Any) -> None:
        """Totals so far; the last event has the whole output, the first the whole input."""
        if isinstance(given, dict):
            counted = _usage(given, "input_tokens", "output_tokens")
            self.usage = Usage(
                max(self.usage.input_tokens, counted.input_tokens),
                max(self.usage.output_tokens, counted.output_tokens),
            )


class ResponsesStream(_Totals):
    """OpenAI's Responses events: items as they are done, and the whole response at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[dict[str, Any]] = []

    def add(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "response.output_item.done" and isinstance(event.get("item"), dict):
            self._items.append(event["item"])
        response = event.get("response")
        if kind in ("response.completed", "response.incomplete", "response.failed") and isinstance(
            response, dict
        ):
            given = response.get("output")
            if isinstance(given, list) and given:
                self._items = [item for item in given if isinstance(item, dict)]
            self.usage = _usage(response.get("usage") or {}, "input_tokens", "output_tokens")
            self.finish = str((response.get("incomplete_details") or {}).get("reason") or "")
            self.error = str((response.get("error") or {}).get("message") or "")

    def messages(self) -> tuple[Message, ...]:
        return openai_responses.read_messages(self._items, WHERE)


class AguiStream(_Totals):
    """AG-UI: calls, their arguments and their results. A bridge may omit the arguments: they are then unknown."""

    def __init__(self) -> None:
        super().__init__()
        self._messages: list[tuple[str, list[str], list[_Call], list[ToolResult]]] = []
        self._calls: dict[str, _Call] = {}

    def add(self, event: dict[str, Any]) -> None:
        kind, call_id = event.get("type"), str(event.get("toolCallId") or "")
        if kind == "TEXT_MESSAGE_CONTENT" or (kind == "TEXT_MESSAGE_CHUNK" and event.get("delta")):
            self._assistant()[1].append(str(event.get("delta") or ""))
        elif kind in ("TOOL_CALL_START", "TOOL_CALL_CHUNK") and call_id not in self._calls:
            call = self._calls[call_id] = _Call(call_id, str(event.get("toolCallName") or ""))
            self._assistant()[2].append(call)
            call.more(event.get("delta"))
        elif kind in ("TOOL_CALL_ARGS", "TOOL_CALL_CHUNK") and call_id in self._calls:
            self._calls[call_id].more(event.get("delta"))
        elif kind == "TOOL_CALL_RESULT":
            self._told().append(ToolResult(call_id, event.get("content")))
        elif kind == "RUN_ERROR":
            self.error = str(event.get("message") or "the agent reported an error")

    def messages(self) -> tuple[Message, ...]:
        return tuple(
            Message("tool", results=tuple(results))
            if role == "tool"
            else Message("assistant", "".join(texts), tuple(call.call() for call in calls))
            for role, texts, calls, results in self._messages
        )

    def _assistant(self) -> tuple[str, list[str], list[_Call], list[ToolResult]]:
        return self._open("assistant")

    def _told(self) -> list[ToolResult]:
        return self._open("tool")[3]

    def _open(self, role: str) -> tuple[str, list[str], list[_Call], list[ToolResult]]:
        if not self._messages or self._messages[-1][0] != role:
            self._messages.append((role, [], [], []))
        return self._messages[-1]


def _usage(given: dict[str, Any], asked: str, made: str) -> Usage:
    return Usage(token_count(given.get(asked)), token_count(given.get(made)))
