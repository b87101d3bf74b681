"""From the events of hooks to a trajectory: the one place that joins calls with their results."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rightcall.adapters.values import arguments_of, lost_connection, plain, text_of, whole
from rightcall.model.approval import Approval, waiting_text
from rightcall.model.call import CallStatus, ToolCall, ToolResult
from rightcall.model.dialects.wire import results_of
from rightcall.model.message import Message
from rightcall.model.tool import Tool
from rightcall.model.trajectory import LedgerEntry, LedgerPhase, StopReason, Trajectory, Usage

CallsScored = Literal["auto", "root", "all"]

FINISHES: dict[str, StopReason] = {
    "length": "truncated",
    "max_tokens": "truncated",
    "max_output_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "refused",
    "content_filter": "refused",
    "content_filtered": "refused",
    "guardrail_intervened": "refused",
    "safety": "refused",
}
"""Finish reasons of providers that are not simply the end, in lower case."""


@dataclass
class _SeenCall:
    """One call as the model wrote it, and what was observed of its tool."""

    call: ToolCall
    key: Hashable = None
    started: float | None = None
    ended: bool = False
    status: CallStatus = "not_run"
    output: Any = None
    latency_ms: float | None = None
    lost: str = ""
    notes: dict[str, Any] = field(default_factory=dict)
    approval: Approval | None = None


@dataclass
class _Answer:
    """One answer of a model."""

    text: str
    calls: list[_SeenCall]
    usage: Usage
    finish: str
    latency_ms: float | None
    agent: str
    depth: int


class EventRecorder:
    """Takes the events of one trial, in the order they happen, from any thread.

    `calls` says whose calls the trajectory holds: `auto` those of the conversation, handoffs included, but none made
    inside an agent that was used as a tool; `root` only those of the first agent; `all` every call. `handoffs="drop"`
    leaves out the calls by which one agent hands over to another.
    """

    def __init__(
        self,
        calls: CallsScored = "auto",
        *,
        handoffs: Literal["keep", "drop"] = "keep",
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._scored, self._handoffs, self._clock = calls, handoffs, clock
        self._log: list[str | _Answer] = []  # a text is a turn of the user
        self._beyond: list[Usage] = []
        self._output: str | None = None
        self._running: dict[Hashable, _SeenCall] = {}
        self._lock = threading.RLock()
        self.tools: dict[str, Tool] = {}
        self.requests = 0
        self.problem = ""
        """The exception of one of our hooks, if any: the trial then says nothing about the agent."""
        self.approvals_seen = False
        """Whether the adapter observes requests for approval."""

    def said(self, text: str) -> None:
        """The user says something: a new turn begins."""
        with self._lock:
            self._log.append(whole(text))
            self._output = None

    def asked(
        self, messages: Sequence[Message] = (), tools: Sequence[Tool] = (), *, results: bool = True
    ) -> None:
        """The model is asked. Results among `messages` belong to calls whose tools no hook saw run.

        Only those after the last answer are new; a request that continues a thread holds nothing older.
        """
        with self._lock:
            self.requests += 1
            for tool in tools:
                self.tools.setdefault(tool.name, tool)
            if results:
                for result in _new_results(messages):
                    self._told(result)

    def answered(
        self,
        text: str = "",
        calls: Sequence[ToolCall] = (),
        *,
        usage: Usage | None = None,
        finish: str = "",
        ms: float | None = None,
        agent: str = "",
        depth: int = 0,
        parent: str = "",
    ) -> None:
        """The model answered; `parent` is the id of the call inside which this agent runs, `depth` how deep."""
        notes = {
            **({"agent": agent} if agent else {}),
            **({"parent": parent} if parent else {}),
            **({"depth": depth} if depth else {}),
        }
        seen = [_SeenCall(call, notes={**notes, **call.notes}) for call in calls]
        with self._lock:
            self._log.append(_Answer(whole(text), seen, usage or Usage(), finish, ms, agent, depth))

    def tool_started(self, key: Hashable, name: str, arguments: Any = None, call_id: str = "") -> bool:
        """A tool begins to run; `key` is whatever names this run of it. False when no call of it was seen."""
        with self._lock:
            found = self._open_call(name, arguments, call_id)
            if found is None:
                return False
            found.key, found.started = key, self._clock()
            self._running[key] = found
            return True

    def tool_ended(
        self,
        key: Hashable,
        output: Any = None,
        *,
        error: BaseException | bool | str | None = None,
        ms: float | None = None,
    ) -> None:
        """The tool of that `key` ended; `error` is what it raised, or whether its output reports a failure."""
        with self._lock:
            found = self._running.pop(key, None)
            if found is None:
                return
            taken = (self._clock() - found.started) * 1000 if found.started is not None else None
            found.latency_ms = round(taken if ms is None else ms, 3) if taken is not None else ms
            _settle(found, output, error)

    def noted(self, call_id: str, *, status: CallStatus | None = None, **notes: Any) -> None:
        """Something more about the latest call of that id."""
        with self._lock:
            for answer in reversed(self._answers()):
                for call in answer.calls:
                    if call.call.id == call_id:
                        call.notes.update(notes)
                        if status is not None:
                            call.status, call.ended = status, True
                        return

    def running_call(self, key: Hashable) -> ToolCall | None:
        """The call whose tool runs under this key."""
        with self._lock:
            found = self._running.get(key)
            return None if found is None else found.call

    def decided(self, approval: Approval, name: str, arguments: Any = None, call_id: str = "") -> None:
        """The agent asked before it runs a tool, and this was answered. Until it is, the tool has not begun."""
        with self._lock:
            found = self._asked_about(name, arguments, call_id)
            if found is None:
                return
            self._running.pop(found.key, None)
            found.approval, found.started, found.ended = approval, None, approval.decision == "rejected"
            found.status, found.output = "not_run", approval.message or None

    def used(self, usage: Usage) -> None:
        """Tokens that belong to no single answer: what a total contains beyond the observed answers."""
        with self._lock:
            self._beyond.append(usage)

    def finished(self, output: Any) -> None:
        """The agent's own final answer, when it is more than the model's last text."""
        with self._lock:
            self._output = text_of(output)

    def broke(self, error: BaseException | None) -> None:
        """The agent ended early: what was running did not finish. `error` is None when the time limit was reached."""
        with self._lock:
            for call in self._running.values():
                if error is None:
                    call.status, call.output = "error", "not finished when the time limit was reached"
                    call.notes["unfinished"] = True
                else:
                    _settle(call, None, error)
            self._running.clear()

    @property
    def seen(self) -> int:
        """How many calls and answers were observed; zero shows that a hook does not work."""
        with self._lock:
            return sum(1 + len(answer.calls) for answer in self._answers())

    @property
    def unseen_tools(self) -> int:
        """Answers after which the agent continued although no tool of their calls was observed."""
        with self._lock:
            answers = self._answers()
            return sum(
                any(not call.ended and call.started is None for call in answer.calls)
                for answer in answers[:-1]
            )

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """What has been done so far."""
        with self._lock:
            return self._built(stop_reason, error)

    def _built(self, stop_reason: StopReason, error: str) -> Trajectory:
        messages: list[Message] = []
        made: list[ToolCall] = []
        lost: list[LedgerEntry] = []
        step, said_last = 0, ""
        finish = ""
        for entry in self._log:
            if isinstance(entry, str):
                messages.append(Message("user", entry))
                said_last = ""
                continue
            if not self._belongs(entry):
                continue
            calls = tuple(_finished_call(call, step) for call in entry.calls if self._counts(call))
            messages.append(Message("assistant", entry.text, _asked_for(calls), latency_ms=entry.latency_ms))
            told = tuple(_result(call) for call in calls if call.status != "not_run" or _was_rejected(call))
            if told:
                messages.append(Message("tool", results=told))
            made += calls
            lost += [self._lost(call, len(lost) + 1) for call in entry.calls if call.lost]
            step += 1
            said_last, finish = entry.text, entry.finish
        waiting = [call.name for call in made if call.approval is not None and call.approval.open]
        if stop_reason == "done" and waiting:
            stop_reason, error = "waiting_for_approval", error or waiting_text(waiting)
        if stop_reason == "done":
            stop_reason = FINISHES.get(finish.lower().rsplit(".", 1)[-1], "done")
        return Trajectory(
            messages=tuple(messages),
            calls=tuple(made),
            output=said_last if self._output is None else self._output,
            usage=_summed([*(answer.usage for answer in self._answers()), *self._beyond]),
            stop_reason=stop_reason,
            error=error,
            ledger=tuple(lost),
            approvals_seen=self.approvals_seen,
        )

    def _lost(self, seen: _SeenCall, number: int) -> LedgerEntry:
        """The line of a ledger about a tool of the framework's that gave no answer."""
        tool = self.tools.get(seen.call.name)
        reads = tool is not None and tool.annotations.read_only is True
        phase: LedgerPhase = "unreached" if reads else "unanswered"
        return LedgerEntry(number, phase, seen.call.name, call_id=seen.call.id, detail=seen.lost)

    def _belongs(self, answer: _Answer) -> bool:
        if self._scored == "all":
            return True
        if self._scored == "root" and answer.agent != self._root():
            return False
        return answer.depth == 0

    def _counts(self, call: _SeenCall) -> bool:
        return self._handoffs == "keep" or not call.notes.get("handoff")

    def _root(self) -> str:
        return next((answer.agent for answer in self._answers() if answer.depth == 0), "")

    def _answers(self) -> list[_Answer]:
        return [entry for entry in self._log if isinstance(entry, _Answer)]

    def _waiting(self) -> Iterator[_SeenCall]:
        """Calls that no tool has begun to run, those of the latest answer first, each answer's in order."""
        for answer in reversed(self._answers()):
            yield from (call for call in answer.calls if call.started is None and not call.ended)

    def _open_call(self, name: str, arguments: Any, call_id: str) -> _SeenCall | None:
        """By id, since the latest use of an id is meant; without one by name and arguments, then by name."""
        waiting = list(self._waiting())
        if call_id:
            same_id = next((call for call in waiting if call.call.id == call_id), None)
            if same_id is not None:
                return same_id
        without = [call for call in waiting if call.call.name == name and not (call_id and call.call.id)]
        given, _ = arguments_of(arguments)
        same = next((call for call in without if call.call.arguments == given), None)
        return same or next(iter(without), None)

    def _asked_about(self, name: str, arguments: Any, call_id: str) -> _SeenCall | None:
        """The latest call of that id that has not ended, running or not; without an id by name and arguments."""
        open_calls = [call for answer in reversed(self._answers()) for call in answer.calls if not call.ended]
        if call_id:
            same_id = next((call for call in open_calls if call.call.id == call_id), None)
            if same_id is not None:
                return same_id
        same_name = [call for call in open_calls if call.call.name == name]
        given, _ = arguments_of(arguments)
        same = next((call for call in same_name if call.call.arguments == given), None)
        return same or next(iter(same_name), None)

    def _told(self, result: ToolResult) -> None:
        for call in self._waiting():
            if call.call.id == result.call_id or not result.call_id or not call.call.id:
                _settle(call, result.output, result.is_error)
                return


def _settle(call: _SeenCall, output: Any, error: BaseException | bool | str | None) -> None:
    failed = error is not None and error is not False
    told = output if not failed or isinstance(error, bool) or output is not None else error
    call.status, call.output, call.ended = "error" if failed else "ok", plain(told), True
    call.lost = lost_connection(error)


def _new_results(messages: Sequence[Message]) -> list[ToolResult]:
    last = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=-1)
    return [r for message in messages[last + 1 :] if message.role == "tool" for r in results_of(message)]


def _finished_call(seen: _SeenCall, step: int) -> ToolCall:
    call = seen.call
    return ToolCall(
        call.name,
        call.arguments,
        call.id,
        step,
        seen.status,
        seen.output,
        seen.latency_ms,
        call.raw,
        dict(seen.notes),
        seen.approval,
    )


def _was_rejected(call: ToolCall) -> bool:
    """Whether a human refused the call: it did not run, and the agent reads why."""
    return call.approval is not None and call.approval.decision == "rejected"


def _asked_for(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls as the model wrote them, for its message; their results are in the next one."""
    return tuple(ToolCall(c.name, c.arguments, c.id, c.step, raw=c.raw) for c in calls)


def _result(call: ToolCall) -> ToolResult:
    return ToolResult(call.id, call.output, call.status == "error", call.name)


def _summed(usages: Sequence[Usage]) -> Usage:
    given = made = cached = 0
    cost: float | None = None
    for usage in usages:
        given, made = given + usage.input_tokens, made + usage.output_tokens
        cached += usage.cached_tokens
        if usage.cost_usd is not None:
            cost = (cost or 0.0) + usage.cost_usd
    return Usage(given, made, cost, cached)
