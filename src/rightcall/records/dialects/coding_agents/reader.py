"""What the readers of all products share."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects.messages import ItemReader
from rightcall.records.dialects.transcript import trajectory_from_messages
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.trajectory import NOTHING_USED, StopReason, Trajectory

Line = dict[str, Any]
KNOWN = "transcripts of Claude Code, Codex and Gemini CLI"
HINT = f"read are {KNOWN}, as their programs write them"


class CodingTranscript(Record, frozen=True):
    """What a coding agent did, and what it was asked first; `cut` when its end is missing."""

    format: str
    trajectory: Trajectory
    input: str = ""
    session: str = ""
    cut: bool = False


class TranscriptReader:
    """Lines so far. `plumbing` names the product's tools that find, load or plan; `ends` says that it writes an end."""

    ends: ClassVar = True
    plumbing: ClassVar = frozenset[str]()

    def __init__(self, form: str, where: str) -> None:
        self.form = form
        self.where = where
        self.items = ItemReader(where, None, joins=form.startswith("codex"))
        self.input = ""
        self.session = ""
        self.model = ""
        self.usage = NOTHING_USED
        self.latency_ms: float | None = None
        self.stop: StopReason = "done"
        self.error = ""
        self.output: str | None = None
        self.has_end = False
        self.refused_ids: set[str] = set()

    def add(self, line: Line, place: str) -> None:
        raise NotImplementedError

    def unknown(self, kind: Any, place: str) -> InputError:
        return InputError(
            self.where, f"{place} is of the unknown type {str(kind)[:60]!r}; it might hold a call", HINT
        )

    def message(self, item: Line, place: str, *, caller: str = "", agent: str = "") -> None:
        """Add one message or item; calls inside another one's work carry its id and its agent."""
        before = len(self.items.messages)
        self.items.add(item, place)
        for at in range(max(before - 1, 0), len(self.items.messages)):
            message = self.items.messages[at]
            if message.role == "user" and not caller:
                self.note_request(message.content)
            if message.calls and at >= before and (caller or agent):
                path = ("", agent) if agent else ()
                calls = tuple(
                    replace(c, caller=caller, agent=agent or None, path=path) for c in message.calls
                )
                self.items.messages[at] = replace(message, calls=calls)

    def note_request(self, text: str) -> None:
        """Note the request: the last text of the user before the agent did anything; products add some before it."""
        if not any(message.role == "assistant" for message in self.items.messages):
            self.input = text

    def call(
        self, name: Any, arguments: Any, call_id: Any, *, server: str = "", written: str = ""
    ) -> ToolCall:
        notes = {key: value for key, value in (("server", server), ("written", written)) if value}
        is_object = isinstance(arguments, dict)
        raw = None if is_object or arguments is None else str(arguments)
        return ToolCall(str(name), arguments if is_object else None, str(call_id or ""), raw=raw, notes=notes)

    def add_call(
        self, call: ToolCall, output: Any = None, *, failed: bool = False, finished: bool = True
    ) -> None:
        self.items.messages.append(Message("assistant", calls=(call,)))
        if finished:
            self.items.messages.append(
                Message("tool", results=(ToolResult(call.id, output, failed, call.name),))
            )

    def transcript(self, cut: bool) -> CodingTranscript:
        read = trajectory_from_messages(self.items.messages)
        calls = tuple(self._product_call(call) for call in read.calls)
        cut = cut or (self.ends and not self.has_end)
        stop: StopReason = "truncated" if cut and self.stop == "done" else self.stop
        trajectory = replace(
            read,
            calls=calls,
            output=read.output if self.output is None else self.output,
            usage=self.usage,
            latency_ms=self.latency_ms,
            stop_reason=stop,
            error=self.error,
            served_model=self.model,
        )
        return CodingTranscript(self.form, trajectory, self.input, self.session, cut)

    def _product_call(self, call: ToolCall) -> ToolCall:
        """The call by the tool's own name, with the server it belongs to, and its kind."""
        notes = call.notes
        name = call.name
        if name.startswith("mcp__") and name.count("__") >= 2:
            _, server, name = name.split("__", 2)
            notes = {**notes, "server": server, "written": call.name}
        elif name in self.plumbing:
            call = replace(call, kind="plumbing")
        if call.id in self.refused_ids:
            call = replace(call, status="not_run", output=None, approval=Approval("rejected"))
        return call if notes is call.notes else replace(call, name=name, notes=notes)


def number_of(value: Any) -> float | None:
    return (
        float(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        else None
    )
