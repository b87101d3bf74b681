"""From the events of hooks to a trajectory: the one place that joins calls with their results."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import Any, Literal

from rightcall.agents.observed.model_answers import (
    ModelAnswer,
    SeenCall,
    agent_answers,
    best_match,
    finish_below,
    last_finish,
    settle,
    step_messages,
    tool_call,
    total_usage,
)
from rightcall.agents.observed.values import text_of, whole
from rightcall.model.approval import Approval, approval_wait_text
from rightcall.model.call import CallStatus, ToolCall, ToolResult
from rightcall.model.dialects.endings import stop_of
from rightcall.model.dialects.wire import results_of
from rightcall.model.message import Message
from rightcall.model.skill_load import SkillIndex
from rightcall.model.tool import Tool
from rightcall.model.trajectory import UNKNOWN_USAGE, LedgerEntry, LedgerPhase, StopReason, Trajectory, Usage

CallsScored = Literal["auto", "root", "all"]


class EventRecorder:
    """Takes the events of one trial, in the order they happen, from any thread.

    `calls` says whose calls the trajectory holds: `auto` those of the conversation, handoffs included, but none made
    inside an agent that was used as a tool; `root` only those of the first agent; `all` every call. `handoffs="drop"`
    leaves out the calls by which one agent hands over to another.
    """

    def __init__(self, calls: CallsScored = "auto", *, handoffs: Literal["keep", "drop"] = "keep") -> None:
        self._scored, self._handoffs = calls, handoffs
        self._log: list[str | ModelAnswer] = []  # a text is a turn of the user
        self._beyond: list[Usage] = []
        self._output: str | None = None
        self._running: dict[Hashable, SeenCall] = {}
        self._early: dict[str, SeenCall] = {}
        """By call id: tools that began before their answer was noted, as those of a stream still being read do."""
        self._lock = threading.RLock()
        self.tools: dict[str, Tool] = {}
        self.skills: SkillIndex | None = None
        """The skills whose loads count even inside agents whose other calls do not."""
        self.requests = 0
        self._limit = ""
        self.problem = ""
        """The exception of one of our hooks, if any: the trial then says nothing about the agent."""
        self.approvals_seen = False
        """Whether the adapter observes requests for approval."""

    def said(self, text: str) -> None:
        """The user says something: a new turn begins."""
        with self._lock:
            self._log.append(whole(text))
            self._output, self._limit = None, ""

    def asked(
        self, messages: Sequence[Message] = (), tools: Sequence[Tool] = (), *, results: bool = True
    ) -> None:
        """The model is asked. Results among `messages` belong to calls whose tools no hook saw run.

        Results that were told before change nothing.
        """
        with self._lock:
            self.requests += 1
            for tool in tools:
                self.tools.setdefault(tool.name, tool)
            if results:
                for result in _new_results(messages):
                    self._settle_result(result)

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
    ) -> ModelAnswer:
        """The model answered; `parent` is the id of the call inside which this agent runs, `depth` how deep."""
        notes = {"parent": parent} if parent else {}
        with self._lock:
            path = self._path_of(agent, depth, parent)
            seen = [self._note_call(call, {**notes, **call.notes}) for call in calls]
            used = usage or UNKNOWN_USAGE
            answer = ModelAnswer(whole(text), seen, used, finish, ms, agent, path, depth, notes)
            self._log.append(answer)
            return answer

    def extend_answer(
        self, answer: ModelAnswer, text: str = "", calls: Sequence[ToolCall] = (), usage: Usage | None = None
    ) -> None:
        """Another part of an answer: texts and calls are joined, the latest usage counts."""
        with self._lock:
            answer.text += whole(text)
            answer.calls += [SeenCall(call, notes={**answer.notes, **call.notes}) for call in calls]
            answer.usage = usage or answer.usage

    def tool_started(self, key: Hashable, name: str, arguments: Any = None, call_id: str = "") -> bool:
        """A tool begins to run; `key` is whatever names this run of it. False when no call of it was seen."""
        with self._lock:
            open_call = best_match(list(self._idle_calls()), name, arguments, call_id, other_ids=False)
            seen = open_call or SeenCall(ToolCall(name, id=call_id))
            seen.key, seen.started = key, time.perf_counter()
            if seen.approval is not None and seen.approval.open:  # answered where we could not see it
                seen.approval = Approval("approved")
            if open_call is None and not call_id:
                return False
            if open_call is None:
                self._early[call_id] = seen
            self._running[key] = seen
            return open_call is not None

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
            running = self._running.pop(key, None)
            if running is None:
                return
            taken = (time.perf_counter() - running.started) * 1000 if running.started is not None else None
            running.latency_ms = round(taken if ms is None else ms, 3) if taken is not None else ms
            settle(running, output, error)

    def noted(self, call_id: str, *, status: CallStatus | None = None, **notes: Any) -> None:
        """Something more about the latest call of that id."""
        with self._lock:
            call = next((call for _, call in self._latest_calls() if call.call.id == call_id), None)
            if call is None:
                return
            call.notes.update(notes)
            if status is not None:
                call.status, call.ended = status, True

    def agent_of_call(self, call_id: str) -> str:
        """The agent that made the latest call of that id; "" when it has no name."""
        with self._lock:
            return next(
                (answer.agent for answer, call in self._latest_calls() if call.call.id == call_id), ""
            )

    def call_of_key(self, key: Hashable) -> ToolCall | None:
        """The call whose tool runs under this key."""
        with self._lock:
            running = self._running.get(key)
            return None if running is None else running.call

    def call_id_of_key(self, key: Hashable) -> str:
        """The id of that call; "" when there is none."""
        call = self.call_of_key(key)
        return call.id if call is not None else ""

    def decided(self, approval: Approval, name: str, arguments: Any = None, call_id: str = "") -> None:
        """The agent asked before it runs a tool, and this was answered. Until it is, the tool has not begun."""
        with self._lock:
            # The latest call of that id that has not ended, running or not.
            open_calls = [call for _, call in self._latest_calls() if not call.ended]
            seen_call = best_match(open_calls, name, arguments, call_id, other_ids=True)
            if seen_call is None:
                return
            self._running.pop(seen_call.key, None)
            seen_call.approval, seen_call.started = approval, None
            seen_call.ended = approval.decision == "rejected"
            seen_call.status, seen_call.output = "not_run", approval.message or None

    def drop_answer_calls(self, name: str) -> None:
        """Calls of that name were how the model gave its answer: no tool of it ran, so they are no calls."""
        with self._lock:
            for answer in self.answers():
                answer.calls = [c for c in answer.calls if c.call.name != name or c.started is not None]

    def reject_waiting_calls(self, still_waiting: Collection[str]) -> None:
        """The agent goes on: calls that waited and do so no longer were rejected by whoever was asked."""
        with self._lock:
            for _, call in self._latest_calls():
                waits = call.approval is not None and call.approval.open and not call.ended
                if waits and call.started is None and call.call.id not in still_waiting:
                    call.approval, call.ended = Approval("rejected"), True

    def add_usage(self, usage: Usage) -> None:
        """Tokens that belong to no single answer: what a total contains beyond the observed answers."""
        with self._lock:
            self._beyond.append(usage)

    def note_limit(self, limit: str) -> None:
        """The agent's own limit forced the answer of this turn, in a framework that does not raise then."""
        with self._lock:
            self._limit = limit

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
                    settle(call, None, error)
            self._running.clear()

    @property
    def seen(self) -> int:
        """How many calls and answers were observed; zero shows that a hook does not work."""
        with self._lock:
            return sum(1 + len(answer.calls) for answer in self.answers())

    @property
    def unseen_tools(self) -> int:
        """Answers after which the agent continued although no tool of their calls was observed."""
        with self._lock:
            answers = self.answers()
            return sum(
                any(not call.ended and call.started is None for call in answer.calls)
                for answer in answers[:-1]
            )

    def trajectory(
        self, stop_reason: StopReason = "done", error: str = "", *, below: Sequence[EventRecorder] = ()
    ) -> Trajectory:
        """What has been done so far; `below` are the recorders of the clients by which the framework asked."""
        replies = [answer for recorder in below for answer in recorder.answers()]
        with self._lock:
            return self._build_trajectory(stop_reason, error, replies)

    def answers(self) -> list[ModelAnswer]:
        with self._lock:
            return [entry for entry in self._log if isinstance(entry, ModelAnswer)]

    def _build_trajectory(
        self, stop_reason: StopReason, error: str, replies: Sequence[ModelAnswer]
    ) -> Trajectory:
        messages: list[Message] = []
        scored_calls: list[ToolCall] = []
        lost: list[LedgerEntry] = []
        step, said_last = 0, ""
        finish = ""
        steps: dict[int, int] = {}  # of each answer that belongs, by identity
        for entry in self._log:
            if isinstance(entry, str):
                messages.append(Message("user", entry))
                said_last = ""
                continue
            if not self._belongs(entry):
                scored_calls += self._inner_loads(entry, step)
                continue
            counted = [c for c in entry.calls if self._handoffs == "keep" or not c.notes.get("handoff")]
            calls = tuple(tool_call(call, step, entry) for call in counted)
            messages += step_messages(entry, calls)
            scored_calls += calls
            steps[id(entry)] = step
            lost += [self._ledger_entry(call, len(lost) + 1) for call in entry.calls if call.lost]
            step += 1
            said_last, finish = entry.text, entry.finish or finish_below(entry, replies)
        waiting = [call.name for call in scored_calls if call.approval is not None and call.approval.open]
        if stop_reason == "done" and waiting:
            stop_reason, error = "waiting_for_approval", error or approval_wait_text(waiting)
        if stop_reason == "done" and self._limit:
            stop_reason, error = "limit", self._limit
        elif stop_reason == "done":
            stop_reason = stop_of(finish)
        elif stop_reason == "agent_error" and stop_of(last_finish(self.answers(), replies)) == "truncated":
            stop_reason = "truncated"  # frameworks raise when an answer is cut off
        return Trajectory(
            messages=tuple(messages),
            calls=tuple(scored_calls),
            output=said_last if self._output is None else self._output,
            usage=total_usage(self.answers(), self._beyond, replies),
            stop_reason=stop_reason,
            error=error,
            ledger=tuple(lost),
            approvals_seen=self.approvals_seen,
            answers=agent_answers(self.answers(), steps),
        )

    def _path_of(self, agent: str, depth: int, parent: str) -> tuple[str, ...]:
        """The agents from the root to one that answers, and a note on the call that runs it who does the work."""
        if not depth:
            return (agent,) if agent else ()
        for answer, call in self._latest_calls() if parent else ():
            if call.call.id == parent:
                if agent:
                    call.notes.setdefault("delegate", agent)
                above = (*answer.path, *[""] * depth)[:depth]
                return (*above, agent)
        return (*[""] * depth, agent)

    def _inner_loads(self, answer: ModelAnswer, step: int) -> list[ToolCall]:
        """Calls inside another agent that load a skill of the suite: loading counts at every depth."""
        if self.skills is None:
            return []
        calls = [tool_call(call, step, answer) for call in answer.calls]
        return [call for call in calls if self.skills.skill_call(call) is not None]

    def _ledger_entry(self, seen: SeenCall, number: int) -> LedgerEntry:
        """The line of a ledger about a tool of the framework's that gave no answer."""
        tool = self.tools.get(seen.call.name)
        reads = tool is not None and tool.annotations.read_only is True
        phase: LedgerPhase = "unreached" if reads else "unanswered"
        return LedgerEntry(number, phase, seen.call.name, call_id=seen.call.id, detail=seen.lost)

    def _belongs(self, answer: ModelAnswer) -> bool:
        if self._scored == "all":
            return True
        root = next((other.agent for other in self.answers() if other.depth == 0), "")
        return answer.depth == 0 and (self._scored != "root" or answer.agent == root)

    def _latest_calls(self) -> Iterator[tuple[ModelAnswer, SeenCall]]:
        """Every call with its answer, those of the latest answer first, each answer's in order."""
        return ((answer, call) for answer in reversed(self.answers()) for call in answer.calls)

    def _idle_calls(self) -> Iterator[SeenCall]:
        """Calls that no tool has begun to run, in the same order."""
        return (call for _, call in self._latest_calls() if call.started is None and not call.ended)

    def _note_call(self, call: ToolCall, notes: dict[str, Any]) -> SeenCall:
        """A call, with what was observed of its tool before its answer was."""
        early = self._early.get(call.id)
        if early is None or early.call.name != call.name:
            return SeenCall(call, notes=notes)
        del self._early[call.id]
        early.call, early.notes = call, notes
        return early

    def _settle_result(self, result: ToolResult) -> None:
        for call in self._idle_calls():
            if call.call.id == result.call_id or not result.call_id or not call.call.id:
                settle(call, result.output, result.is_error)
                return


def _new_results(messages: Sequence[Message]) -> list[ToolResult]:
    """Results after the last answer, then those before it that name their call, the newest first.

    A loop may write each output right after its call, so that parts of one answer look like several. The newest come
    first because some servers give the same ids in every turn.
    """
    last = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=-1)
    newest = [r for message in messages[last + 1 :] if message.role == "tool" for r in results_of(message)]
    before = [r for message in messages[: last + 1] if message.role == "tool" for r in results_of(message)]
    return newest + [result for result in reversed(before) if result.call_id]
