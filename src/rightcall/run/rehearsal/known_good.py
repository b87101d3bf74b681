"""Behaviour that is right: stored, or a trajectory made from the golden itself, where no stored one passes it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from rightcall.core.errors import InputError
from rightcall.metrics.conversation import expectations_by_exchange
from rightcall.metrics.matching.expectation import fits, predecessors
from rightcall.metrics.matching.matchers.references import values_at
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall, is_target
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import AgentAnswer, Dialogue, Trajectory
from rightcall.run.plan import Plan
from rightcall.run.rehearsal.stage import Stage
from rightcall.run.rehearsal.toolset import Toolset, Toolsets
from rightcall.run.rehearsal.trial import Trial, trial_of_plan
from rightcall.run.rehearsal.values import LEFT_OUT, NoValue, value_accepted_by
from rightcall.tools.runtime.toolbox import Toolbox


@dataclass(frozen=True)
class KnownBehaviour:
    """A stored trajectory of a golden that passed, and the agent that made it."""

    agent: str
    trajectory: Trajectory


Known = Callable[[AnyGolden], Sequence[KnownBehaviour]]
"""Stored behaviour of a golden that passed."""


def nothing_known(golden: AnyGolden) -> list[KnownBehaviour]:
    """Nothing is stored."""
    return []


async def make_trajectory(
    golden: AnyGolden, tools: Mapping[str, Tool], toolbox: Toolbox | None = None, *, stated: bool = False
) -> Trajectory:
    """Every required call of a golden once, in an allowed order, with values it accepts; raises `NoValue`.

    Arguments that a tool requires and the golden leaves open are made up, unless only what is `stated` is wanted.
    """
    if golden.expected_state is not None and toolbox is None:
        raise NoValue("its final state needs the worlds of the suite, which are not known here")
    open_to_filling = {} if stated else tools
    maker = _Maker(
        golden, tools, Toolset(open_to_filling), Stage(toolbox, golden, tools) if toolbox else None
    )
    try:
        trajectory = await _play(maker, golden)
    except (NoValue, InputError):
        if maker.stage is not None:
            maker.stage.end()
        raise
    if maker.stage is None:
        return trajectory
    trajectory = maker.stage.with_evidence(trajectory)
    if golden.expected_state and not trajectory.calls:
        raise NoValue("it states a final state but not the calls that reach it; run the suite once")
    return trajectory


async def _play(maker: _Maker, golden: AnyGolden) -> Trajectory:
    if isinstance(golden, Golden):
        calls = await maker.calls(golden.expected_calls or next(iter(golden.any_of), ()), 0)
        messages: tuple[Message, ...] = ()
        dialogue = None
    else:
        calls, messages = await maker.conversation(golden)
        dialogue = Dialogue("script_end", given=len(golden.given))
    return Trajectory(
        messages=messages,
        calls=tuple(calls),
        output=maker.answer(),
        latency_ms=0.0,
        dialogue=dialogue,
        approvals_seen=bool(golden.confirm),
        answers=maker.answers(),
    )


class _Maker:
    def __init__(
        self, golden: AnyGolden, tools: Mapping[str, Tool], toolset: Toolset, stage: Stage | None
    ) -> None:
        self.golden = golden
        self.tools = tools
        self.toolset = toolset
        self.stage = stage
        self._by_id: dict[str, ToolCall] = {}

    async def calls(self, expected: Sequence[ExpectedCall], first_step: int) -> list[ToolCall]:
        """One call per step, so that every order that the golden asks for holds."""
        calls: list[ToolCall] = []
        for index in range(len(expected)) if self.golden.order == "strict" else _in_order(expected):
            expectation = expected[index]
            for _ in range(expectation.min if expectation.required else 0):
                call = self._call(expectation, first_step + len(calls))
                if self.stage:
                    call = (await self.stage.play([call]))[0]
                calls.append(call)
                if expectation.id:
                    self._by_id[expectation.id] = call
        return calls

    async def conversation(self, golden: ConversationalGolden) -> tuple[list[ToolCall], tuple[Message, ...]]:
        """The turns with the calls that each exchange expects; those of the whole come in the last one."""
        messages = [Message(turn.role, turn.content) for turn in golden.given]
        exchange = sum(turn.role == "user" for turn in golden.given)
        step = sum(turn.role == "assistant" for turn in golden.given)
        by_exchange = expectations_by_exchange(golden)
        requests = [turn.content for turn in golden.script] or [golden.scenario]
        calls: list[ToolCall] = []
        for number, request in enumerate(requests, 1):
            messages.append(Message("user", request))
            expected = by_exchange.get(exchange + number, ())
            if number == len(requests):
                expected = (*expected, *self._unmet(golden.expected_calls, calls, expected))
            for call in await self.calls(expected, step):
                calls.append(call)
                messages.append(Message("assistant", "", calls=(call,)))
                step += 1
            messages.append(Message("assistant", self.answer() if number == len(requests) else "Yes."))
            step += 1
        return calls, tuple(messages)

    def _unmet(
        self, whole: Sequence[ExpectedCall], calls: Sequence[ToolCall], expected: Sequence[ExpectedCall]
    ) -> list[ExpectedCall]:
        """Expected calls of the whole that no turn's expected call already makes."""
        tools_called = [call.name for call in calls]
        tools_called += [self._tool(call) for call in expected]
        unmet: list[ExpectedCall] = []
        for call in whole:
            name = self._tool(call)
            if name in tools_called:
                tools_called.remove(name)
            else:
                unmet.append(call)
        return unmet

    def _call(self, expectation: ExpectedCall, step: int) -> ToolCall:
        name = self._tool(expectation)
        arguments: dict[str, Any] = {}
        for parameter, spec in (expectation.args or {}).items():
            try:
                value = value_accepted_by(spec, self._result)
            except NoValue as problem:
                raise NoValue(f"{name}.{parameter}: {problem}") from None
            if value is not LEFT_OUT:
                arguments[parameter] = value
        is_open = expectation.args is None or expectation.extra_args == "ignore"
        if is_open and name in self.toolset.tools:
            arguments = self.toolset.fill(name, arguments, self.golden.id) or arguments
        approval = Approval("approved") if name in self.golden.confirm else None
        call = ToolCall(name, arguments, id=f"call-{step}", step=step, status="ok", approval=approval)
        if expectation.by is None and not is_target(expectation.tool):
            return call
        named = expectation.as_tool_call()
        notes = {word: named.notes[word] for word in ("handoff", "delegate") if word in named.notes}
        return msgspec.structs.replace(call, agent=named.agent, path=named.path, notes=notes)

    def _tool(self, expectation: ExpectedCall) -> str:
        if isinstance(expectation.tool, str):
            return expectation.tool
        if is_target(expectation.tool):
            return expectation.as_tool_call().name
        accepts = fits(expectation.tool)
        offered = next((name for name in self.tools if accepts(name)), None)
        if offered is not None:
            return offered
        if isinstance(expectation.tool, dict):
            raise NoValue("no offered tool fits the pattern of an expected call")
        return str(expectation.tool[0])

    def _result(self, call: str, path: str) -> Any:
        source = self._by_id.get(call)
        values = values_at(source.output, path) if source is not None else []
        if not values:
            raise NoValue(f"no result of '{call}' is known at '{path}'")
        return values[0]

    def answer(self) -> str:
        """The expected answer, and the content that the golden asks of it."""
        expected = self.golden.expected_output if isinstance(self.golden, Golden) else None
        parts: list[str] = [expected] if expected else []
        for item in self.golden.output_contains:
            value = value_accepted_by(item, self._result)
            if not isinstance(value, str | int | float):
                raise NoValue("the answer's content states no text")
            if not expected or str(value) not in expected:
                parts.append(str(value))
        return " ".join(parts) or "Done."

    def answers(self) -> tuple[AgentAnswer, ...]:
        """The final answer, of the agent that is to give it."""
        if not isinstance(self.golden, Golden) or self.golden.answered_by is None:
            return ()
        named = ExpectedCall("answer", by=self.golden.answered_by).as_tool_call()
        return (AgentAnswer(named.agent, named.path),)


def _in_order(expected: Sequence[ExpectedCall]) -> list[int]:
    """An order in which every call comes after those that it names."""
    before = predecessors(expected)
    return sorted(range(len(expected)), key=lambda index: (len(before[index]), index))


class OwnBehaviour(NamedTuple):
    """The behaviour that a golden expects, as it went; `why` it does not pass, empty when it does."""

    trajectory: Trajectory
    why: str = ""


async def own_behaviour(golden: AnyGolden, toolset: Toolset, trial: Trial) -> OwnBehaviour | None:
    """How the calls that a golden expects go; None where they cannot be made from it."""
    try:
        trajectory = await make_trajectory(golden, toolset.tools, trial.toolbox)
    except (NoValue, InputError):
        return None
    if any(not toolset.accepts(call.name, call.arguments) for call in trajectory.calls):
        return (
            None  # values that the golden leaves open could not be made up; its schema is checked elsewhere
        )
    judgement, why = trial.judge_stated(golden, trajectory)
    if judgement == "not_judged":
        return None
    return OwnBehaviour(trajectory, (why or "it fails") if judgement == "failed" else "")


def cannot_be_met(golden: AnyGolden, own: OwnBehaviour | None) -> str:
    """Why a golden is certainly wrong; empty when it may be right.

    The turns of a conversation are made up here; an agent's may go another way.
    """
    return own.why if own is not None and isinstance(golden, Golden) else ""


async def goldens_never_met(plan: Plan, passed: Container[str] = ()) -> AsyncIterator[tuple[str, str]]:
    """Goldens of a plan that no agent can pass, each with the reason; those that one has `passed` are not tried."""
    trial = trial_of_plan(plan)
    toolsets = Toolsets()
    for golden in plan.goldens():
        if golden.id in passed:
            continue
        toolset = toolsets.of(trial.tools_of(golden))
        if why := cannot_be_met(golden, await own_behaviour(golden, toolset, trial)):
            yield golden.id, why
