"""The toolbox: the tools of an agent, ready to be called: `await toolbox.invoke_turn(calls, context)`."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from rightcall.core.declared_values import require_values
from rightcall.core.errors import ConfigError, InputError
from rightcall.model.approval import read_approvals
from rightcall.model.call import ToolCall
from rightcall.model.safety import Safety
from rightcall.model.skill_load import SkillIndex
from rightcall.model.tool import Tool
from rightcall.recording.case import CURRENT
from rightcall.tools.attacks.tool_list import bind_poison
from rightcall.tools.attacks.trial_plants import TrialPlants
from rightcall.tools.definitions.function import PLAIN, FunctionTool, tool
from rightcall.tools.definitions.validate import check_schema, problems as argument_problems
from rightcall.tools.faults.inject import PlannedFaults
from rightcall.tools.faults.plan import FaultPlan
from rightcall.tools.guard.policy import guard_policy
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.runtime.bound_tool import (
    BoundTool,
    RunnableTool,
    function_tool,
    generated_tool,
    mock_ready,
)
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.context import CallContext, Clock, SystemClock, VirtualClock
from rightcall.tools.runtime.execute import with_recorded_preview
from rightcall.tools.runtime.invocation import ActiveCall, Touches, run_turn
from rightcall.tools.runtime.json_values import normalise_arguments
from rightcall.tools.runtime.mocks import MockPlan
from rightcall.tools.runtime.pipeline import Stages, pipeline
from rightcall.tools.runtime.policy import ToolRules, approval_problems
from rightcall.tools.runtime.prepare import Confirmations, Preparer, call_fingerprint
from rightcall.tools.worlds.base import World

if TYPE_CHECKING:
    from rightcall.tools.guard.monitor import Guard, GuardState, GuardVerdict
    from rightcall.tools.guard.policy import GuardPolicy

AnyTool = Tool | FunctionTool | BoundTool | World | Callable[..., Any]


class Toolbox:
    """Tools, how each is run, and the rules for every call.

    Tools are definitions, functions decorated with `@tool`, plain functions, fake worlds, or entries of an
    MCP server.
    `guard` is `auto`, `strict`, a policy or its file: calls that an attacker could have caused are stopped.
    By default nothing runs for real: a tool answers with its mock, or with a result made from its output
    schema. `execute="real"` runs the functions themselves, as does `{real: true}` in a mock for one tool.

    One toolbox serves any number of trials at once. What belongs to a trial is in its context:

        context = toolbox.context(run="r1", task=golden.id, trial=0)
        toolbox.tools                                                 # what to show to the model
        invocations = await toolbox.invoke_turn(message.calls, context)
        calls = [i.call for i in invocations]        # the model's calls with status, output and latency
        results = [i.result for i in invocations]    # what the model reads, in the order of its calls
        …
        trajectory = context.with_evidence(trajectory)   # with the ledger and the state of the worlds
    """

    def __init__(  # noqa: PLR0913  what a toolbox is made of
        self,
        tools: Iterable[AnyTool] = (),
        *,
        mocks: MockPlan | Mapping[str, Any] | None = None,
        execute: Literal["mock", "real"] = "mock",
        rules: ToolRules | None = None,
        idempotency: Idempotency | Callable[[], Idempotency] | None = None,
        faults: FaultPlan | None = None,
        guard: GuardPolicy | Guard | str | Path | None = None,
        clock: Clock | None = None,
        seed: int = 0,
    ) -> None:
        values = {"mocks": mocks, "execute": execute, "rules": rules, "faults": faults, "clock": clock}
        require_values("Toolbox", Toolbox.__init__, {**values, "idempotency": idempotency, "seed": seed})
        given_tools = list(tools)
        self.skills = [source for source in given_tools if isinstance(source, Tool) and source.kind != "tool"]
        """Skills and agents: known by name, but neither shown to the model as tools nor run."""
        sources = (
            [source for source in given_tools if source not in self.skills] if self.skills else given_tools
        )
        self._worlds = [source for source in sources if isinstance(source, World)]
        self.has_code = bool(mocks) or not all(isinstance(source, Tool) for source in sources)
        """Whether code of users may take part in a call: functions, worlds, mocks."""
        self._entries = {entry.tool.name: entry for entry in self._check_entries(sources, execute)}
        definitions = {name: entry.tool for name, entry in self._entries.items()}
        self._mocks: MockPlan | None = None
        if mocks:
            added = {name: entry.added for name, entry in self._entries.items()}
            self._mocks = (
                mocks if isinstance(mocks, MockPlan) else MockPlan(mocks, definitions.values(), added)
            )
        self._clock, self._seed = clock, seed
        self._real = execute == "real" and not faults
        self._rules, self._idempotency = rules or ToolRules(), idempotency
        self._stages_by_plants: dict[bool, Stages] = {}
        self._keys_and_tokens: tuple[Idempotency, Confirmations] | None = None
        self._lock = threading.RLock()
        approvals = self._rules.approvals
        self.approvals = None if approvals is None else read_approvals(approvals)
        if self.approvals and (wrong := approval_problems(self.approvals, definitions)):
            raise ConfigError(*wrong)
        self.faults = faults or FaultPlan()
        if faults is not None:
            faults.check(self._entries)
        self.guard = self._bind_guard(guard)

    @property
    def confirmations(self) -> Confirmations:
        """The tokens that users were given."""
        return self._kept[1]

    @property
    def _keys(self) -> Idempotency:
        """What runs an operation once."""
        return self._kept[0]

    @property
    def _kept(self) -> tuple[Idempotency, Confirmations]:
        """Made with the first call, because most agents are only shown their tools, and once, whichever thread asks.

        Two sets of keys would let an operation happen twice; a cached property takes no lock from Python 3.12 on.
        """
        with self._lock:
            if self._keys_and_tokens is None:
                given = self._idempotency
                keys = given() if callable(given) else given or Idempotency(sqlite_store())
                self._keys_and_tokens = keys, Confirmations(keys.store)
            return self._keys_and_tokens

    def _stages(self, *, plants: bool) -> Stages:
        """What a call passes through, the same for all calls; frameworks make calls in threads."""
        with self._lock:
            if plants not in self._stages_by_plants:
                rules, keys = self._rules, self._keys
                preparer = Preparer(self._entries_shown, self.confirmations, rules.policy, self.approvals)
                planned = PlannedFaults(self.faults, keys) if self.faults.faults else None
                self._stages_by_plants[plants] = pipeline(preparer, keys, rules, planned, plants=plants)
            return self._stages_by_plants[plants]

    @property
    def has_worlds(self) -> bool:
        """Whether a trial has a state that calls change."""
        return bool(self._worlds)

    @property
    def tools(self) -> list[Tool]:
        """The tools to show to the model: those given, unless a fault adds, renames or hides some."""
        return [
            entry.tool if entry.tool.name == name else msgspec.structs.replace(entry.tool, name=name)
            for name, entry in self._entries.items()
        ]

    @property
    def definitions(self) -> list[Tool]:
        """Everything that a call can mean: the tools, then skills and agents."""
        return [*self.tools, *self.skills]

    def context(
        self,
        *,
        run: str = "",
        task: str = "",
        trial: int = 0,
        offered: Iterable[Tool] | None = None,
        roles: Iterable[str] | None = (),
        safety: Safety | None = None,
    ) -> CallContext:
        """A fresh context for one trial of one task; `task` is the golden's id.

        `offered` are the tools this trial offers, when they are not all: a call of any other is refused, and
        one that the toolbox does not have, because the golden defines it, is answered with a generated result.
        `roles` are the caller's: a tool with roles refuses everybody who has none of them. None means that callers are
        not distinguished. `safety` is the attack to plant in this trial.
        """
        # Mocks and faults wait on the trial's own clock: their hours take no time, and one trial's
        # waiting does not affect another.
        recording = CURRENT.get()
        real = self._real and (recording is None or not recording.is_replaying)
        clock = self._clock or (SystemClock() if real else VirtualClock())
        context = CallContext(run=run, task=task, trial=trial, clock=clock, seed=self._seed)
        context.roles = None if roles is None else tuple(roles)
        context.worlds = {world.name: world.fresh() for world in self._worlds}
        if self.guard is not None:
            context.guard = self.guard.begin(caller=context.roles)
        if offered is not None:
            context.offered = {
                tool.name: self._entries.get(tool.name) or _golden_entry(tool) for tool in offered
            }
        if safety is not None and safety.plants:
            context.plants = TrialPlants(safety, skills=self._skill_index(safety))
        return context

    def _skill_index(self, safety: Safety) -> SkillIndex | None:
        """The skills whose loads carry what is planted; None when nothing is planted in one."""
        if all(plant.carrier != "skill" for plant in safety.plants):
            return None
        known = [*self.skills, *(entry.tool for entry in self._entries.values())]
        return SkillIndex({tool.name: tool for tool in known if tool.kind == "skill"})

    def show_tools(self, context: CallContext, offered: Iterable[Tool]) -> None:
        """Replace the tools of a trial by those of a poisoned list, run as the tools that they pretend to be."""
        assert context.plants is not None
        context.offered = bind_poison(offered, self._entries, context.plants.safety)

    def forget_keys(self, context: CallContext) -> None:
        """Forget the idempotency keys of a trial that is over, so that it can be played again from the start."""
        for key in {entry.key for entry in context.ledger.entries if entry.key}:
            self._keys.store.forget(key)

    async def invoke_turn(self, calls: Sequence[ToolCall], context: CallContext) -> list[Invocation]:
        """Run all calls of one assistant message; one invocation for each, in the same order.

        Calls that only read, or touch different resources, run concurrently; others keep their order. A
        failing call is data: its invocation has an `error`, and its `result` tells the model what to do.

        Raises `Aborted` when the agent has to be stopped; its `invocations` still hold one entry for
        every call, so append their results to the transcript before ending it. Cancelling is safe: what
        was running is recorded in `context.invocations` as failed or unknown.
        """
        touches = [self._touches(call, context) for call in calls] if len(calls) > 1 else [(True, None)]
        stages = self._stages(plants=context.plants is not None)
        if context.guard is None:
            return await run_turn(calls, touches, lambda call: stages(ActiveCall(call, context)))
        with self._turn_under_guard(context.guard, calls, context) as verdicts:

            def run(call: ToolCall) -> Awaitable[Invocation]:
                return stages(ActiveCall(call, context, verdict=verdicts.get(id(call))))

            return await run_turn(calls, touches, run)

    async def invoke(self, call: ToolCall, context: CallContext) -> Invocation:
        """Run one call; see `invoke_turn`."""
        return (await self.invoke_turn([call], context))[0]

    def confirmation_token(self, call: ToolCall, context: CallContext) -> str:
        """The token that confirms one call, to be given to the user: for tools with `confirmation="user"`."""
        entry = self._entries_shown(context).get(call.name)
        if entry is None or call.arguments is None:
            raise ConfigError(f"no call of '{call.name}' awaits confirmation")
        meaning = call_fingerprint(entry, normalise_arguments(entry.tool, call.arguments))
        return self.confirmations.issue(context, entry.tool.name, meaning)

    def _bind_guard(self, guard: GuardPolicy | Guard | str | Path | None) -> Guard | None:
        if guard is None or guard == "none":
            return None
        from rightcall.tools.guard.monitor import Guard

        if isinstance(guard, Guard):
            return guard
        policy = guard_policy(guard)
        confirmed = [name for name, entry in self._entries.items() if entry.behaviour.confirmation != "none"]
        tools = [entry.tool for entry in self._entries.values()]
        return None if policy is None else Guard(policy, tools, confirmed=confirmed)

    @contextmanager
    def _turn_under_guard(
        self, state: GuardState, calls: Sequence[ToolCall], context: CallContext
    ) -> Iterator[dict[int, GuardVerdict]]:
        """What the guard says of the calls that it stops; afterwards it is told how all of them were answered."""
        from rightcall.tools.guard.monitor import judge_turn, settle_turn

        resolved = [(call, self._entries_shown(context).get(call.name)) for call in calls]
        valid = [
            call
            for call, entry in resolved
            if entry and call.arguments is not None and not argument_problems(entry.tool, call.arguments)
        ]
        verdicts = judge_turn(state, valid)
        start = len(context.invocations)
        try:
            yield {id(call): verdict for call, verdict in zip(valid, verdicts, strict=True) if verdict.stops}
        finally:
            ended = {id(invocation.call): invocation.call for invocation in context.invocations[start:]}
            settle_turn(state, list(ended.values()))

    def _entries_shown(self, context: CallContext) -> Mapping[str, BoundTool]:
        return self._entries if context.offered is None else context.offered

    def _touches(self, call: ToolCall, context: CallContext) -> Touches:
        entry = self._entries_shown(context).get(call.name)
        if entry is None or call.arguments is None:
            return False, None  # it will be refused: it touches nothing
        try:
            return entry.writes, entry.behaviour.resource(call.arguments)
        except Exception:  # the user's function saw arguments that are not validated yet
            return entry.writes, None

    def _check_entries(self, tools: Iterable[AnyTool], execute: str) -> list[BoundTool]:
        problems, seen = [], set()
        entries = [entry for source in tools for entry in self._entries_of(source, execute)]
        for entry in entries:
            if entry.tool.name in seen:
                problems.append(f"two tools are named '{entry.tool.name}'; rename one")
            seen.add(entry.tool.name)
            try:
                check_schema(entry.tool)
            except InputError as error:
                problems.append(str(error))
        for skill in self.skills:
            if skill.name in seen:
                where = f"the skill in {skill.skill.folder}" if skill.skill else f"a {skill.kind}"
                problems.append(f"'{skill.name}' is the name of a tool and of {where}; rename one")
            seen.add(skill.name)
        if problems:
            raise ConfigError(*problems)
        return entries

    def _entries_of(self, source: Any, execute: str) -> list[BoundTool]:
        """Entries whose mocks take precedence. A simulated world is harmless, so it needs no permission to run."""
        if isinstance(source, World):
            return [self._govern_entry(entry, real=True) for entry in source.entries()]
        if isinstance(source, Tool):
            return [BoundTool(source, PLAIN, lambda context: self._ready(source, None, context, real=False))]
        if isinstance(source, BoundTool):
            return [self._govern_entry(source, real=execute == "real")]
        entry = function_tool(source if isinstance(source, FunctionTool) else tool(source))
        return [self._govern_entry(entry, real=execute == "real")]

    def _govern_entry(self, entry: BoundTool, *, real: bool) -> BoundTool:
        ready = partial(self._ready, entry.tool, entry, real=real)
        return BoundTool(entry.tool, entry.behaviour, ready, entry.added)

    def _ready(
        self, tool: Tool, entry: BoundTool | None, context: CallContext, *, real: bool
    ) -> RunnableTool:
        """The tool's mock if it has one, else the tool itself where it may run, else a generated answer."""
        mock = self._mocks.find(tool.name, context.task) if self._mocks else None
        itself = real if mock is None else mock.real
        if entry is None or not itself:
            return mock_ready(tool, mock, self._mocks)
        return with_recorded_preview(tool.name, entry.ready(context), context.recording)


def _golden_entry(tool: Tool) -> BoundTool:
    check_schema(tool)
    return generated_tool(tool)
