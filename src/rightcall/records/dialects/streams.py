"""Streamed answers, event by event: chat chunks, Anthropic's and Responses' events, AG-UI, the AI SDK. Pure.

`stream_of(event)` starts the stream that such an event belongs to; `stream.messages()` is the content so far,
as RightCall messages. Unknown events are skipped, because providers add new kinds all the time, unless one holds a call
that the stream does not have otherwise. Unknown blocks are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.records.call import ToolResult
from rightcall.records.dialects.anthropic import AnthropicStream
from rightcall.records.dialects.messages import read_items
from rightcall.records.dialects.openai import ChatStream
from rightcall.records.dialects.openai_responses import ResponsesStream
from rightcall.records.dialects.spoken_message import unheard
from rightcall.records.dialects.stream_pieces import WHERE, AnswerStream, StreamedCall
from rightcall.records.message import Message, calls_of
from rightcall.records.trajectory import Usage, token_count

FIRST = frozenset(
    ("start-step", "text-start", "text-delta", "reasoning-start", "tool-input-start", "tool-input-available",
     "tool-call")
)  # fmt: skip
"""Events that no other format has; one of them comes before anything that is read."""
CALLS = frozenset(("tool-input-start", "tool-input-available", "tool-input-error", "tool-call"))
RESULTS = {
    "tool-output-available": "output", "tool-result": "output", "tool-output-error": "errorText",
    "tool-error": "error", "tool-input-error": "errorText", "tool-output-denied": "reason",
}  # fmt: skip
"""Events with the result of a call, and where it is; all but the first two tell of one that failed."""
SILENT = frozenset(
    ("start", "text-start", "text-end", "finish-step", "tool-input-end", "tool-approval-request")
)


class _Step:
    """One answer of the model, and the results of its calls."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: dict[str, StreamedCall] = {}
        self.results: dict[str, ToolResult] = {}

    def messages(self) -> list[Message]:
        calls = tuple(call.call() for call in self.calls.values())
        answer = [Message("assistant", "".join(self.texts), calls)] if self.texts or calls else []
        return [*answer, *([Message("tool", results=tuple(self.results.values()))] if self.results else [])]


class UiMessageStream(AnswerStream):
    """Steps with text, calls, and the results of tools that the service ran itself."""

    def __init__(self) -> None:
        super().__init__()
        self._steps = [_Step()]

    def add(self, event: dict[str, Any]) -> None:
        kind = str(event.get("type"))
        call_id = str(event.get("toolCallId") or event.get("id") or "")
        step = self._steps[-1]
        if kind == "start-step" or (kind == "text-start" and step.results):
            self._steps.append(_Step())
        elif kind == "text-delta":
            step.texts.append(str(event.get("delta") or event.get("text") or ""))
        elif kind in CALLS:
            call = step.calls.setdefault(call_id, StreamedCall(call_id, str(event.get("toolName") or "")))
            if "input" in event:
                given = event["input"]
                call.arguments = given if isinstance(given, str) else encode(given).decode()
        elif kind == "tool-input-delta" and call_id in step.calls:
            step.calls[call_id].more(event.get("inputTextDelta") or event.get("delta"))
        elif kind in ("error", "abort"):
            self.error = str(
                event.get("errorText") or event.get("error") or event.get("reason") or "it was aborted"
            )
        elif kind == "finish":
            self.ended = True
            self.finish = "" if self.error else str(event.get("finishReason") or "")
            self._count(event.get("totalUsage"))
        elif kind not in SILENT and kind not in RESULTS and not kind.startswith("reasoning"):
            self.leave(event)
        if kind in RESULTS and not event.get("preliminary"):
            has_failed = kind not in ("tool-output-available", "tool-result")
            step.results[call_id] = ToolResult(call_id, event.get(RESULTS[kind]), has_failed)

    def messages(self) -> tuple[Message, ...]:
        return self.complete(tuple(chain.from_iterable(step.messages() for step in self._steps)))

    def _count(self, usage: Any) -> None:
        if isinstance(usage, dict):
            self.usage = Usage(token_count(usage.get("inputTokens")), token_count(usage.get("outputTokens")))


def begins_ui_stream(event: dict[str, Any]) -> bool:
    return event.get("type") in FIRST or (event.get("type") == "error" and "errorText" in event)


AGUI_SILENT = frozenset(("RAW", "STATE_SNAPSHOT", "STATE_DELTA"))
"""Events of the framework behind it, which the others translate, and of the state that the interface shows."""

_Turn = tuple[str, list[str], list[StreamedCall], list[ToolResult]]


class AguiStream(AnswerStream):
    """Calls, their arguments and their results. A bridge may omit the arguments: they are then unknown.

    A snapshot of the messages repeats the conversation; calls of its last turn that were not streamed count too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._turns: list[_Turn] = []
        self._calls: dict[str, StreamedCall] = {}
        self._snapshot: list[Any] = []

    def add(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        call_id = str(event.get("toolCallId") or "")
        if kind == "TEXT_MESSAGE_CONTENT" or (kind == "TEXT_MESSAGE_CHUNK" and event.get("delta")):
            self._open("assistant")[1].append(str(event.get("delta") or ""))
        elif kind in ("TOOL_CALL_START", "TOOL_CALL_CHUNK") and call_id not in self._calls:
            call = self._calls[call_id] = StreamedCall(call_id, str(event.get("toolCallName") or ""))
            self._open("assistant")[2].append(call)
            call.more(event.get("delta"))
        elif kind in ("TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"):
            if call_id not in self._calls:
                raise InputError(WHERE, f"has the arguments of a call '{call_id[:60]}' that never began")
            self._calls[call_id].more(event.get("delta"))
        elif kind == "TOOL_CALL_RESULT":
            self._open("tool")[3].append(ToolResult(call_id, event.get("content")))
        elif kind == "MESSAGES_SNAPSHOT" and isinstance(messages := event.get("messages"), list):
            self._snapshot = messages
        elif kind == "RUN_FINISHED":
            self.ended = True
            self.leave(event)
        elif kind == "RUN_ERROR":
            self.error = str(event.get("message") or "the agent reported an error")
        elif kind not in AGUI_SILENT:
            self.leave(event)

    def messages(self) -> tuple[Message, ...]:
        streamed = tuple(
            Message("tool", results=tuple(results))
            if role == "tool"
            else Message("assistant", "".join(texts), tuple(call.call() for call in calls))
            for role, texts, calls, results in self._turns
        )
        snapshot = read_items(self._snapshot, WHERE)
        last = max((at for at, message in enumerate(snapshot) if message.role == "user"), default=-1)
        shown = snapshot[last + 1 :]
        if not streamed:
            return self.complete(shown)
        others = unheard(calls_of(shown), calls_of(streamed))
        return self.complete((*streamed, Message("assistant", calls=tuple(others))) if others else streamed)

    def _open(self, role: str) -> _Turn:
        if not self._turns or self._turns[-1][0] != role:
            self._turns.append((role, [], [], []))
        return self._turns[-1]


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
    if begins_ui_stream(event):
        return UiMessageStream()
    return AguiStream() if kind.isupper() else None


def text_of(messages: Sequence[Message]) -> str:
    return "".join(message.content for message in messages if message.role == "assistant")
