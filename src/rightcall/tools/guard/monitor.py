"""The guard of a toolset.

    guard = rc.guard(tools, base="auto")
    guard.check(call, ledger)      # ledger: a trajectory, messages, calls with results, or the state of a trial

It reads calls, results and user turns, never what the model says. A stopped call changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from rightcall.records.approval import CONFIRMATION_PARAMETER
from rightcall.records.call import ToolCall
from rightcall.records.golden import AnyGolden
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.tools.definitions.validate import problems
from rightcall.tools.guard.binding import BoundPolicy, covers
from rightcall.tools.guard.conditions import Breach, CheckedCall, Used, amount_of, breach_of, limit_key
from rightcall.tools.guard.policy import GuardPolicy, GuardRule, guard_policy, several
from rightcall.tools.guard.provenance import Provenance
from rightcall.tools.guard.values import leaf_values
from rightcall.tools.runtime.bound_tool import BoundTool
from rightcall.tools.runtime.context import CallContext, LayerState
from rightcall.tools.runtime.invocation import Layer

Severity = Literal["allow", "confirm", "deny"]
_ORDER: dict[Severity, int] = {"allow": 0, "confirm": 1, "deny": 2}


class GuardVerdict(Record, frozen=True):
    """The verdict on a call: which rules it breaks, and of the hardest of them the argument, its label and why."""

    verdict: Severity = "allow"
    by: tuple[str, ...] = ()
    argument: str = ""
    label: str = ""
    why: str = ""

    @property
    def stops(self) -> bool:
        return self.verdict != "allow"


ALLOWED = GuardVerdict()


class GuardState(LayerState):
    """What the guard knows in one trial."""

    def __init__(self, guard: BoundPolicy, caller: tuple[str, ...] | None = None) -> None:
        self.guard = guard
        self.caller = caller
        self.provenance = Provenance(guard.policy)
        self.used = Used()

    def start(
        self, context: CallContext, system: str, tools: Sequence[Tool], messages: Sequence[Message]
    ) -> None:
        if system:
            self.hear(system)
        for _ in replay(self, messages):
            pass

    @contextmanager
    def turn(self, calls: Sequence[ToolCall], context: CallContext) -> Iterator[dict[int, GuardVerdict]]:
        """The verdicts on the calls that it stops; afterwards it is told how all of them were answered."""
        entries = [(call, context.offered.get(call.name)) for call in calls]
        valid = [
            call
            for call, entry in entries
            if entry and call.arguments is not None and not problems(entry.tool, call.arguments)
        ]
        verdicts = judge_turn(self, valid)
        start = len(context.invocations)
        try:
            yield {id(call): verdict for call, verdict in zip(valid, verdicts, strict=True) if verdict.stops}
        finally:
            ended = {id(invocation.call): invocation.call for invocation in context.invocations[start:]}
            settle_turn(self, list(ended.values()))

    def hear(self, text: str) -> None:
        """A user turn, or the suite's system text."""
        self.provenance.hear(text)

    def read(self, text: str) -> None:
        """A text of somebody else that the agent is given: a document, an earlier result, the words of an error."""
        self.provenance.read_text(text)

    def check(self, tool: str, arguments: Mapping[str, Any]) -> GuardVerdict:
        """The verdict on a call. Changes nothing."""
        leaves_of_call = list(leaf_values(without_token(arguments)))
        call = CheckedCall(tool, leaves_of_call, self.provenance, self.used)
        breaches: list[tuple[Severity, GuardRule, Breach]] = []
        for rule in self.guard.rules_for(tool, (path for path, _ in leaves_of_call)):
            if rule.role and (self.caller is None or rule.role not in self.caller):
                continue
            if any(covers(several(rule.unless), path) for path, _ in leaves_of_call):
                continue
            breach = breach_of(rule, self.guard.key_of(rule), call, partial(covers, several(rule.arg)))
            if breach is not None:
                breaches.append((_severity(rule), rule, breach))
        if not breaches:
            return ALLOWED
        worst, _, breach = max(breaches, key=lambda entry: _ORDER[entry[0]])
        by = dict.fromkeys(rule.label for _, rule, _ in breaches)
        return GuardVerdict(worst, tuple(by), breach.argument, breach.label, why=breach.why)

    def ran(self, tool: str, arguments: Mapping[str, Any], *, failed: bool = False) -> None:
        """A call was let through: it counts towards limits, and what it carried is no longer anybody's field."""
        self.provenance.send(without_token(arguments))
        self.count(tool, arguments, failed=failed)

    def count(self, tool: str, arguments: Mapping[str, Any], *, failed: bool = False) -> None:
        """Count a call towards the limits of its tool; one that `failed` without an effect may be repeated."""
        leaves_of_call = list(leaf_values(without_token(arguments)))
        for rule in self.guard.rules_for(tool, (path for path, _ in leaves_of_call)):
            if rule.limit is not None and not (failed and rule.limit.same):
                key = self.guard.key_of(rule)
                self.used.calls[limit_key(rule, key, tool, leaves_of_call)] += 1
                amount = amount_of(rule.limit.arg, leaves_of_call) if rule.limit.arg else None
                self.used.totals[key] = self.used.totals.get(key, 0.0) + (amount or 0.0)

    def result(self, tool: str, arguments: Mapping[str, Any], output: Any) -> None:
        """A call was answered."""
        self.provenance.read_result(self.guard.roles_of(tool), arguments, output)


def without_token(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without a confirmation token, which means nothing."""
    return {name: value for name, value in arguments.items() if name != CONFIRMATION_PARAMETER}


def _severity(rule: GuardRule) -> Severity:
    if rule.otherwise is not None:
        return rule.otherwise
    return "deny" if rule.condition in ("deny", "allow", "limit") else "confirm"


INVALID = frozenset(("unknown_tool", "invalid_json", "invalid_args"))
REFUSALS = INVALID | {
    "confirmation_required",
    "confirmation_invalid",
    "confirmation_rejected",
    "permission_denied",
    "idempotency_key_reused",
    "in_progress",
}
"""Errors of the runtime itself: nothing ran, and nobody else's words are in them."""


def judge_turn(state: GuardState, calls: Sequence[ToolCall]) -> list[GuardVerdict]:
    """The verdict on each call; those before it that are allowed count towards the limits."""
    before = state.used.copy()
    verdicts = []
    for call in calls:
        verdict = state.check(call.name, call.arguments or {})
        verdicts.append(verdict)
        if not verdict.stops:
            state.count(call.name, call.arguments or {})
    state.used = before
    return verdicts


def settle_turn(state: GuardState, calls: Sequence[ToolCall]) -> None:
    """Tell the state which calls took place, and how they were answered."""
    answered = [call for call in calls if took_place(call)]
    for call in answered:
        state.ran(call.name, arguments_of(call), failed=_had_no_effect(call))
    for call in answered:
        if call.status == "error":
            state.read(error_text(call.output))
        elif call.output is not None:
            state.result(call.name, arguments_of(call), call.output)


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """What the call ran with: the approver's arguments if they were edited."""
    if call.approval is not None and call.approval.arguments is not None:
        return call.approval.arguments
    return call.arguments or {}


def took_place(call: ToolCall) -> bool:
    """Whether the call reached its tool: the runtime did not refuse it, and nobody rejected it."""
    if call.approval is not None and not call.approval.granted:
        return False
    return not _has_error(call, REFUSALS) and (call.status != "not_run" or call.output is not None)


def _had_no_effect(call: ToolCall) -> bool:
    """Whether a call ended with an error that does not speak of an effect."""
    effect = call.output.get("effect", "none") if isinstance(call.output, dict) else "none"
    return call.status == "error" and effect == "none"


def was_invalid(call: ToolCall) -> bool:
    """Whether the runtime refused the call before the guard saw it."""
    return call.arguments is None or _has_error(call, INVALID)


def _has_error(call: ToolCall, codes: frozenset[str]) -> bool:
    return call.status == "error" and isinstance(call.output, dict) and call.output.get("error") in codes


def error_text(output: Any) -> str:
    """The words of an error reply."""
    if isinstance(output, dict):
        return " ".join(str(output[key]) for key in ("detail", "hint") if output.get(key))
    return str(output)


def replay(state: GuardState, ledger: Any) -> Iterator[tuple[ToolCall, GuardVerdict]]:
    """Each recorded call with the verdict of the guard at that moment; calls of one message are judged together."""
    if isinstance(ledger, Trajectory):
        yield from _replay_trajectory(state, ledger)
        return
    entries = list(ledger)
    if all(isinstance(entry, Message) for entry in entries):
        yield from _replay_trajectory(state, Trajectory(messages=entries, calls=calls_with_answers(entries)))
    else:
        yield from _replay_steps(state, entries)


def calls_with_answers(messages: Iterable[Message]) -> list[ToolCall]:
    """The calls of messages, with the results that other messages have for them."""
    outputs = {result.call_id: result for message in messages for result in message.results}
    calls = []
    for call in chain.from_iterable(message.calls for message in messages):
        result = outputs.get(call.id) if call.status == "not_run" else None
        answered = result and replace(call, status="error" if result.is_error else "ok", output=result.output)
        calls.append(answered or call)
    return calls


def _replay_trajectory(state: GuardState, trajectory: Trajectory) -> Iterator[tuple[ToolCall, GuardVerdict]]:
    if not trajectory.messages:
        yield from _replay_steps(state, trajectory.calls)
        return
    waiting = list(trajectory.calls)
    for message in trajectory.messages:
        if message.role in ("user", "system"):
            state.hear(message.content)
        elif message.calls:
            batch = waiting[: len(message.calls)]
            waiting = waiting[len(message.calls) :]
            yield from judge_batch(state, batch)


def _replay_steps(state: GuardState, calls: Sequence[ToolCall]) -> Iterator[tuple[ToolCall, GuardVerdict]]:
    """Calls of one step together; a call without a step is a step."""
    steps = groupby(enumerate(calls), key=lambda item: (item[1].step, item[1].step is None and item[0]))
    for _, batch in steps:
        yield from judge_batch(state, [call for _, call in batch])


def judge_batch(state: GuardState, batch: Sequence[ToolCall]) -> Iterator[tuple[ToolCall, GuardVerdict]]:
    """Judge the calls of one message before any of their results is read, then read the results."""
    judged = [call for call in batch if not was_invalid(call)]
    verdicts = judge_turn(state, judged)
    settle_turn(state, batch)
    yield from zip(judged, verdicts, strict=True)


class Guard(BoundPolicy):
    """A policy bound to tools. `confirmed` are tools that ask for a confirmation themselves."""

    def begin(self, *texts: str, caller: Sequence[str] | None = None) -> GuardState:
        """The state of a fresh trial: what the user and the suite's system text say, and the caller's roles."""
        state = GuardState(self, caller=None if caller is None else tuple(caller))
        for text in filter(None, texts):
            state.hear(text)
        return state

    def check(self, call: ToolCall | Mapping[str, Any], ledger: Any = ()) -> GuardVerdict:
        """The verdict on a call after what a ledger has: a trajectory, messages, or the state of a trial."""
        asked = call if isinstance(call, ToolCall) else ToolCall(**call)
        state = ledger if isinstance(ledger, GuardState) else self.after(ledger)
        return state.check(asked.name, asked.arguments or {})

    def after(self, ledger: Any) -> GuardState:
        """The state after a trajectory, messages, or calls with their results."""
        state = self.begin()
        for _ in replay(state, ledger):
            pass
        return state


class GuardLayer(Layer):
    """A guard around the calls of a toolbox. It has no stage: a call that it stops is refused where it is prepared."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def begin(self, context: CallContext, golden: AnyGolden | None) -> GuardState:
        return self._guard.begin(caller=context.roles)


def guard_layer(
    guard: GuardPolicy | Guard | str | Path, entries: Mapping[str, BoundTool], _: object
) -> GuardLayer | None:
    """The layer of a guard, or of a policy bound to the tools; None for the policy `none`."""
    if isinstance(guard, Guard):
        return GuardLayer(guard)
    policy = guard_policy(guard)
    confirmed = [name for name, entry in entries.items() if entry.behaviour.confirmation != "none"]
    tools = [entry.tool for entry in entries.values()]
    return None if policy is None else GuardLayer(Guard(policy, tools, confirmed=confirmed))
