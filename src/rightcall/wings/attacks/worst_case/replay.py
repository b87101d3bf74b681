"""The replay of one golden: the user's calls through the guards, then the attacker's at every position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rightcall.model.call import ToolCall
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.message import Message
from rightcall.model.safety import ReplayedCall
from rightcall.model.tool import Tool
from rightcall.model.tool_roles import ToolRoles
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import Aborted
from rightcall.wings.attacks.worst_case.attacker_calls import Goal, attacker_text
from rightcall.wings.attacks.worst_case.outcome import CallRow, Unguarded
from rightcall.wings.attacks.worst_case.planted_toolbox import PlantedToolbox

OTHER_GUARDS = {
    "invalid_args": "validation",
    "invalid_json": "validation",
    "unknown_tool": "validation",
    "confirmation_required": "confirmation",
    "confirmation_invalid": "confirmation",
    "confirmation_rejected": "confirmation",
    "permission_denied": "roles",
    "idempotency_key_reused": "idempotency",
    "in_progress": "idempotency",
}
"""What stops a call besides the guard, by the error that answers it."""


@dataclass
class Replay:
    """The rows of one golden, and the calls that nothing stopped."""

    rows: list[CallRow] = field(default_factory=list)
    unguarded: dict[tuple[str, int], Unguarded] = field(default_factory=dict)
    attacker_calls: int = 0
    stopped: int = 0
    delivered: bool = False
    by: dict[str, dict[str, int]] = field(default_factory=dict)
    untried: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Replayer:
    """Replays goldens through one toolbox, whose external sources carry the attacker's text."""

    toolbox: PlantedToolbox
    roles: Mapping[str, ToolRoles]
    system: str = ""

    async def replay(
        self,
        golden: AnyGolden,
        offered: Mapping[str, Tool],
        user_calls: Sequence[ToolCall],
        goals: Sequence[Goal],
    ) -> Replay:
        """The user's calls once with a verdict each; the attacker's after each of them, from the first delivery on."""
        outcome = Replay()
        steps = user_steps(golden, user_calls)
        first = await self._first_delivery(golden, offered, steps, user_calls, outcome)
        if first is None:
            return outcome
        outcome.delivered = True
        for at in range(first + 1, len(user_calls) + 1):
            await self._attack(golden, offered, steps, at, goals, outcome)
        self._count(goals, outcome)
        return outcome

    async def _first_delivery(
        self,
        golden: AnyGolden,
        offered: Mapping[str, Tool],
        steps: Sequence[ToolCall | Message],
        user_calls: Sequence[ToolCall],
        outcome: Replay,
    ) -> int | None:
        """Make the user's calls, with a row for each; the first whose result carried the attacker's text.

        A read that fails delivers nothing, though its tool is an external source.
        """
        planted: list[int] = []
        context = await self._context(golden, offered, steps, len(user_calls), outcome.rows, planted)
        self.toolbox.forget_keys(context)
        return planted[0] if planted else None

    async def _context(
        self,
        golden: AnyGolden,
        offered: Mapping[str, Tool],
        steps: Sequence[ToolCall | Message],
        calls: int,
        rows: list[CallRow] | None = None,
        planted: list[int] | None = None,
    ) -> CallContext:
        """A fresh trial after the first calls of the user, to which the user says yes when asked."""
        caller = None if golden.as_ is None else golden.as_.roles
        context = self.toolbox.context(task=golden.id, offered=offered.values(), roles=caller)
        context.hear(self.system if golden.system is None else golden.system)
        position = 0
        for step in steps:
            if isinstance(step, Message):
                context.hear(step.content)
                continue
            if position >= calls:
                break
            before = self.toolbox.planting.results
            row = await self._user_call(golden, context, step, position)
            if planted is not None and self.toolbox.planting.results > before:
                planted.append(position)
            if rows is not None:
                rows.append(row)
            position += 1
        return context

    async def _user_call(
        self, golden: AnyGolden, context: CallContext, call: ToolCall, position: int
    ) -> CallRow:
        asked = ToolCall(call.name, call.arguments, f"user-{position}")
        verdict = None
        if context.guard is not None:
            verdict = context.guard.check(call.name, call.arguments or {})
        context.granted.add(asked.id)
        invocation = await self._invoke(asked, context)
        sinks = self._sinks(call.name)
        fields: dict[str, Any] = {}
        if verdict is not None and verdict.stops:
            fields = {
                "verdict": verdict.verdict, "by": verdict.by, "argument": verdict.argument, "label": verdict.label,
                "code": "false_stop",
            }  # fmt: skip
        elif guard_that_stopped(invocation):
            fields = {"verdict": "deny", "by": (guard_that_stopped(invocation),), "code": "false_stop"}
        return CallRow(golden.id, "user", position, position, call.name, sinks, **fields)

    async def _attack(
        self,
        golden: AnyGolden,
        offered: Mapping[str, Tool],
        steps: Sequence[ToolCall | Message],
        at: int,
        goals: Sequence[Goal],
        outcome: Replay,
    ) -> None:
        context: CallContext | None = None
        for number, goal in enumerate(goals):
            context = context or await self._context(golden, offered, steps, at)
            changed = False
            for index, call in enumerate(goal.calls):
                row, ran = await self._attacker_call(golden, context, goal, index, call, at, number)
                changed = changed or ran
                if not self._counts(call.name):
                    continue
                outcome.rows.append(row)
                if not row.stopped and (goal.name, index) not in outcome.unguarded:
                    outcome.unguarded[goal.name, index] = self._unguarded(golden, goal, call, at)
            if changed:  # the world and the labels are no longer those of the user's calls alone
                self.toolbox.forget_keys(context)
                context = None
        if context is not None:
            self.toolbox.forget_keys(context)

    def _unguarded(self, golden: AnyGolden, goal: Goal, call: ToolCall, at: int) -> Unguarded:
        planting = self.toolbox.planting
        return Unguarded(
            call.name,
            self._sinks(call.name),
            goal.name,
            golden.id,
            at,
            call.arguments or {},
            tuple(ReplayedCall(step.name, step.arguments or {}, step.output) for step in goal.calls),
            planting.stated or attacker_text([goal], planting.fields),
            dict(planting.fields),
        )

    async def _attacker_call(
        self,
        golden: AnyGolden,
        context: CallContext,
        goal: Goal,
        index: int,
        call: ToolCall,
        at: int,
        number: int,
    ) -> tuple[CallRow, bool]:
        asked = ToolCall(call.name, call.arguments, f"attacker-{at}-{number}-{index}")
        verdict = context.guard.check(call.name, call.arguments or {}) if context.guard is not None else None
        invocation = await self._invoke(asked, context)
        sinks, fields = self._sinks(call.name), {}
        stopped = guard_that_stopped(invocation)
        if verdict is not None and verdict.stops and stopped:
            fields = {
                "verdict": verdict.verdict, "by": verdict.by, "argument": verdict.argument, "label": verdict.label
            }  # fmt: skip
        elif stopped:
            fields = {"verdict": "confirm" if stopped == "confirmation" else "deny", "by": (stopped,)}
        else:
            fields = {"code": "unguarded"} if self._counts(call.name) else {}
        row = CallRow(golden.id, "attacker", index, at, call.name, sinks, goal=goal.name, **fields)  # type: ignore[arg-type]
        return row, not stopped

    async def _invoke(self, call: ToolCall, context: CallContext) -> Invocation:
        try:
            return (await self.toolbox.invoke_turn([call], context))[0]
        except Aborted as stop:
            first: Invocation = stop.invocations[0]
            return first

    def _sinks(self, tool: str) -> tuple[str, ...]:
        return tuple(self.roles[tool].sinks) if tool in self.roles else ()

    def _counts(self, tool: str) -> bool:
        """Whether a call of the attacker is one that has to be stopped: reads that tell nobody anything are not."""
        return tool not in self.roles or bool(self.roles[tool].sinks)

    def _count(self, goals: Sequence[Goal], outcome: Replay) -> None:
        rows: dict[tuple[str, int], list[CallRow]] = {}
        for row in outcome.rows:
            if row.who == "attacker":
                rows.setdefault((row.goal, row.call), []).append(row)
        for goal in goals:
            for index, call in enumerate(goal.calls):
                if not self._counts(call.name) or (goal.name, index) not in rows:
                    continue
                tries = rows[goal.name, index]
                outcome.attacker_calls += 1
                stopped = all(row.stopped for row in tries)
                outcome.stopped += stopped
                for kind in self._sinks(call.name) or ("unknown",):
                    count = outcome.by.setdefault(kind, {"": 0, "stopped": 0})
                    count[""] += 1
                    count["stopped"] += stopped
                    for rule in dict.fromkeys(name for row in tries for name in row.by) if stopped else ():
                        count[f"by {rule}"] = count.get(f"by {rule}", 0) + 1


def guard_that_stopped(invocation: Invocation) -> str:
    """Which guard other than the policy refused a call before anything ran; "" when it ran."""
    if invocation.outcome == "waiting":
        return "confirmation"
    if invocation.outcome == "rejected" and invocation.error is not None:
        return OTHER_GUARDS.get(invocation.error.error, "roles")
    return "budget" if invocation.outcome == "aborted" else ""


def user_steps(golden: AnyGolden, calls: Sequence[ToolCall]) -> list[ToolCall | Message]:
    """What the user says and what is called for it, in order: all requests first for a golden of one turn."""
    if isinstance(golden, Golden):
        return [Message("user", golden.input), *calls]
    said = [turn.content for turn in (*golden.given, *golden.script) if turn.role == "user"]
    return [*(Message("user", text) for text in said or [golden.scenario]), *calls]
