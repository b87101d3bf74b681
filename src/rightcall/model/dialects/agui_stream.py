"""The events of AG-UI, the protocol between agents and user interfaces."""

from __future__ import annotations

from typing import Any

from rightcall.core.errors import InputError
from rightcall.model.call import ToolResult
from rightcall.model.dialects.messages import read_items
from rightcall.model.dialects.spoken_message import unheard
from rightcall.model.dialects.stream_pieces import WHERE, AnswerStream, StreamedCall
from rightcall.model.message import Message, calls_of

SILENT = frozenset(("RAW", "STATE_SNAPSHOT", "STATE_DELTA"))
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
        kind, call_id = event.get("type"), str(event.get("toolCallId") or "")
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
        elif kind not in SILENT:
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
