"""What the hooks of all adapters heard in a trial, put together: each answer once, as a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from rightcall.agents.observed.model_answers import (
    ModelAnswer,
    SeenCall,
    agent_answers,
    finish_below,
    last_finish,
    step_messages,
    tool_call,
    total_usage,
)
from rightcall.agents.observed.recorder import EventRecorder
from rightcall.agents.observed.voices import HeardTurn
from rightcall.model.approval import approval_wait_text
from rightcall.model.call import ToolCall
from rightcall.model.dialects.endings import stop_of
from rightcall.model.message import Message
from rightcall.model.trajectory import LedgerEntry, LedgerPhase, StopReason, Trajectory


class HeardTrial:
    """The trial as these recorders heard it, at this moment; the first says whose calls count.

    Answers that a client received for a framework are the framework's: they only say what it drops, such as tokens
    and why the model stopped.
    """

    def __init__(self, recorders: Sequence[EventRecorder]) -> None:
        self._recorders = recorders
        first = recorders[0]
        self._scored = first.scored
        self._handoffs = first.handoffs
        self._skills = first.skills
        with first.shared.lock:
            answers = list(chain.from_iterable(recorder.answers() for recorder in recorders))
            turns = [recorder.turns for recorder in recorders if recorder.turns]
        self._replies = sorted((a for a in answers if a.below), key=lambda answer: answer.moment)
        self.answers = sorted((a for a in answers if not a.below), key=lambda answer: answer.moment)
        # Of each turn, its first request as it was heard best.
        self._turns = [max(same, key=lambda turn: len(turn.request)) for same in zip(*turns, strict=False)]

    @property
    def seen(self) -> int:
        """How many calls and answers were observed; zero shows that a hook does not work."""
        return sum(1 + len(answer.calls) for answer in self.answers)

    @property
    def unseen_tools(self) -> int:
        """Answers after which the agent continued although no tool of their calls was observed."""
        return sum(
            any(not call.ended and call.started is None for call in answer.calls)
            for answer in self.answers[:-1]
        )

    @property
    def first_request(self) -> Sequence[Message]:
        """The messages of the trial's first request; none when they were not heard."""
        return self._turns[0].request if self._turns else ()

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """What has been done so far."""
        with self._recorders[0].shared.lock:
            return self._build_trajectory(stop_reason, error)

    def _build_trajectory(self, stop_reason: StopReason, error: str) -> Trajectory:
        messages: list[Message] = []
        scored_calls: list[ToolCall] = []
        lost: list[LedgerEntry] = []
        step, said_last = 0, ""
        finish = ""
        steps: dict[int, int] = {}  # of each answer that belongs, by identity
        for entry in sorted([*self._turns, *self.answers], key=lambda entry: entry.moment):
            if isinstance(entry, HeardTurn):
                messages.append(entry.message(is_first=not messages))
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
            said_last, finish = entry.text, entry.finish or finish_below(entry, self._replies)
        waiting = [call.name for call in scored_calls if call.approval is not None and call.approval.open]
        if stop_reason == "done" and waiting:
            stop_reason, error = "waiting_for_approval", error or approval_wait_text(waiting)
        beyond = list(chain.from_iterable(r.beyond for r in self._recorders))
        limit = next((r.limit for r in self._recorders if r.limit), "")
        output = next((r.output for r in self._recorders if r.output is not None), said_last)
        if stop_reason == "done" and limit:
            stop_reason, error = "limit", limit
        elif stop_reason == "done":
            stop_reason = stop_of(finish)
        elif (
            stop_reason == "agent_error" and stop_of(last_finish(self.answers, self._replies)) == "truncated"
        ):
            stop_reason = "truncated"  # frameworks raise when an answer is cut off
        return Trajectory(
            messages=tuple(messages),
            calls=tuple(scored_calls),
            output=output,
            usage=total_usage(self.answers, beyond, self._replies),
            stop_reason=stop_reason,
            error=error,
            ledger=tuple(lost),
            approvals_seen=any(r.approvals_seen for r in self._recorders),
            answers=agent_answers(self.answers, steps),
        )

    def _inner_loads(self, answer: ModelAnswer, step: int) -> list[ToolCall]:
        """Calls inside another agent that load a skill of the suite: loading counts at every depth."""
        if self._skills is None:
            return []
        calls = [tool_call(call, step, answer) for call in answer.calls]
        return [call for call in calls if self._skills.skill_call(call) is not None]

    def _ledger_entry(self, seen: SeenCall, number: int) -> LedgerEntry:
        """The line of a ledger about a tool of the framework's that gave no answer."""
        tool = next((r.tools[seen.call.name] for r in self._recorders if seen.call.name in r.tools), None)
        reads = tool is not None and tool.annotations.read_only is True
        phase: LedgerPhase = "unreached" if reads else "unanswered"
        return LedgerEntry(number, phase, seen.call.name, call_id=seen.call.id, detail=seen.lost)

    def _belongs(self, answer: ModelAnswer) -> bool:
        if self._scored == "all":
            return True
        root = next((other.agent for other in self.answers if other.depth == 0), "")
        return answer.depth == 0 and (self._scored != "root" or answer.agent == root)
