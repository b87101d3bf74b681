"""What an A2A agent did in one turn, from the task, messages and artifacts it replied with. Hostile input.

A2A says nothing about tools. Calls are known where the agent reports them: in data parts in a spelling that is read
anywhere else, or as `calls` in the metadata of a task, a message or an artifact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rightcall.agents.remote.a2a_wire import Json, state_of
from rightcall.core.codec import convert, encode
from rightcall.core.redaction.clean_text import scrub
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.dialects import trajectory_from_messages, wire
from rightcall.model.dialects.parts import SpelledCall, SpelledResult, read_part
from rightcall.model.dialects.spoken_message import result_of
from rightcall.model.message import Message
from rightcall.model.record import Record
from rightcall.model.trajectory import StopReason, Trajectory, Usage

WHERE = "the reply"
ENDINGS: dict[str, StopReason] = {
    "": "done",
    "completed": "done",
    "input-required": "waiting_for_approval",
    "rejected": "refused",
    "failed": "agent_error",
    "canceled": "agent_error",
    "auth-required": "infra_error",
}
"""By the state of the task; a plain message has none."""

RUNNING = frozenset(("submitted", "working"))
"""States of a task that is not over: it is asked for until it is."""

PAUSED = frozenset(("input-required", "auth-required"))
"""States in which the next message continues the task."""


class _Reported(Record, frozen=True, forbid_unknown_fields=False):
    """What an agent may say about itself in metadata."""

    calls: tuple[ToolCall, ...] | None = None
    usage: Usage | None = None


class TurnRecord:
    """The updates of one turn, in the order they came. `before` are ids of messages and artifacts of earlier turns."""

    def __init__(self, before: set[str]) -> None:
        self._before = before
        self._messages: dict[str, Json] = {}
        self._artifacts: dict[str, Json] = {}
        self._metadata: list[Any] = []
        self._last: Json | None = None
        self.state = self.task_id = self.context_id = ""

    def add(self, kind: str, body: Json) -> None:
        self.context_id = str(body.get("contextId") or self.context_id)
        self._metadata.append(body.get("metadata"))
        if kind == "message":
            self._say(body)
            self._last = body
        elif kind == "artifactUpdate":
            self._extend(body)
        else:
            self.task_id = str(body.get("id" if kind == "task" else "taskId") or self.task_id)
            status = body.get("status")
            self.state = state_of(status) or self.state
            last = status.get("message") if isinstance(status, dict) else None
            self._last = last if isinstance(last, dict) else None
            for message in _dicts(body.get("history")):
                self._say(message)
            for artifact in _dicts(body.get("artifacts")):
                self._artifacts[str(artifact.get("artifactId"))] = artifact
            self._say(self._last)

    def _say(self, message: Json | None) -> None:
        if message is not None and str(message.get("role")).lower().removeprefix("role_") != "user":
            key = str(message.get("messageId") or len(self._messages))
            if key not in self._before:
                self._messages.setdefault(key, message)

    def _extend(self, body: Json) -> None:
        artifact = body.get("artifact")
        if not isinstance(artifact, dict):
            return
        key = str(artifact.get("artifactId"))
        earlier = self._artifacts.get(key)
        if body.get("append") and earlier is not None:
            artifact = {**earlier, "parts": [*_dicts(earlier.get("parts")), *_dicts(artifact.get("parts"))]}
        self._artifacts[key] = artifact

    @property
    def message_ids(self) -> set[str]:
        return {*self._messages, *self._artifacts}

    @property
    def artifacts(self) -> list[Json]:
        return [artifact for key, artifact in self._artifacts.items() if key not in self._before]

    @property
    def output(self) -> str:
        """The text of the artifacts; of the last message when there is none, or when it is a question."""
        results = "" if self.state in PAUSED else "".join(_text(artifact) for artifact in self.artifacts)
        return results or self._last_text

    def document(self) -> bytes:
        """The turn as JSON, for a suite that says by paths where things are."""
        parts = [part for holder in self._holders() for part in _dicts(holder.get("parts"))]
        data = [part["data"] for part in parts if "data" in part]
        return encode(
            {
                "output": self.output, "state": self.state, "messages": list(self._messages.values()),
                "artifacts": self.artifacts, "data": data, "metadata": [m for m in self._metadata if m],
            }
        )  # fmt: skip

    def trajectory(self) -> tuple[Trajectory, bool]:
        """What was done, and whether the agent said anything about its calls."""
        spoken = trajectory_from_messages(tuple(self._transcript()))
        about = [*(holder.get("metadata") for holder in self._holders()), *self._metadata]
        reports = [convert(metadata, _Reported, WHERE) for metadata in about if isinstance(metadata, dict)]
        stated = [report.calls for report in reports if report.calls is not None]
        calls = stated[-1] if stated else spoken.calls
        usage = next((report.usage for report in reversed(reports) if report.usage), spoken.usage)
        stop, error = self._stop_and_error()
        messages = () if stated else spoken.messages
        trajectory = Trajectory(messages, calls, self.output, usage, None, stop, error)
        return trajectory, bool(stated or spoken.calls)

    def _stop_and_error(self) -> tuple[StopReason, str]:
        stop = ENDINGS.get(self.state, "infra_error")
        if stop in ("done", "refused"):
            return stop, ""
        if stop == "waiting_for_approval":
            return stop, scrub(self._last_text)
        more = f": {self._last_text}" if self._last_text else ""
        return stop, scrub(f"the task is {self.state}{more}")[:500]

    @property
    def _last_text(self) -> str:
        return _text(self._last) if self._last else ""

    def _holders(self) -> list[Json]:
        return [*self._messages.values(), *self.artifacts]

    def _transcript(self) -> Iterator[Message]:
        """Messages with the calls and results of each message or artifact; last the answer."""
        for holder in self._holders():
            calls: list[ToolCall] = []
            results: list[ToolResult] = []
            for part in _dicts(holder.get("parts")):
                for call, result in _tool_use(part):
                    calls += [wire.call_of(call, WHERE, "a call")] if call else []
                    results += [result_of(result, WHERE, "a result")] if result else []
            if calls:
                yield Message("assistant", calls=tuple(calls))
            if results:
                yield Message("tool", results=tuple(results))
        yield Message("assistant", self.output)


def _tool_use(part: Json) -> Iterable[tuple[SpelledCall | None, SpelledResult | None]]:
    """The calls and results in a data part. ADK writes them bare, and says in the metadata what they are."""
    data, metadata = part.get("data"), part.get("metadata")
    if not isinstance(data, dict):
        return
    kind = metadata.get("adk_type") if isinstance(metadata, dict) else None
    if kind == "function_call":
        yield SpelledCall(data.get("name"), data.get("args") or {}, data.get("id") or ""), None
    elif kind == "function_response":
        yield None, SpelledResult(data.get("id") or "", data.get("response"), False, data.get("name") or "")
    else:
        read = read_part(data)
        if read.call is not None or read.result is not None:
            yield read.call, read.result or (read.call.result if read.call else None)


def _text(holder: Json) -> str:
    return "".join(part["text"] for part in _dicts(holder.get("parts")) if isinstance(part.get("text"), str))


def _dicts(values: Any) -> Sequence[Json]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
