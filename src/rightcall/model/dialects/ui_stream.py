"""The streams of the AI SDK: messages for user interfaces (`toUIMessageStreamResponse`), or its own parts as events."""

from __future__ import annotations

from itertools import chain
from typing import Any

from rightcall.core.codec import encode
from rightcall.model.call import ToolResult
from rightcall.model.dialects.stream_pieces import AnswerStream, StreamedCall
from rightcall.model.message import Message
from rightcall.model.trajectory import Usage, token_count

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
