"""The toolbox: the tools of an agent, ready to be called: `await toolbox.invoke_turn(calls, context)`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from typing import Any, Literal

import msgspec

from rightcall.core.declared_values import require_values
from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.core.seam import BUILT_IN, load
from rightcall.recording.case import CURRENT
from rightcall.records.approval import read_approvals
from rightcall.records.call import ToolCall
from rightcall.records.golden import AnyGolden
from rightcall.records.tool import Tool
from rightcall.tools.definitions.function import PLAIN, FunctionTool, tool
from rightcall.tools.definitions.validate import check_schema
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.runtime.bound_tool import (
    BoundTool,
    RunnableTool,
    SimulatedTools,
    function_tool,
    generated_tool,
    mock_ready,
)
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.context import CallContext, CallVerdict, Clock, SystemClock, VirtualClock
from rightcall.tools.runtime.execute import with_recorded_preview
from rightcall.tools.runtime.invocation import ActiveCall, Layer, Touches, run_turn
from rightcall.tools.runtime.json_values import normalise_arguments
from rightcall.tools.runtime.mocks import MockPlan
from rightcall.tools.runtime.pipeline import Stages, pipeline
from rightcall.tools.runtime.policy import ToolRules, approval_problems
from rightcall.tools.runtime.prepare import Confirmations, Preparer, call_fingerprint

LAYERS = tuple(BUILT_IN["layers"])
"""The layers there are, outermost first: a toolbox has those that its keywords or its goldens have a value for."""

AnyTool = Tool | FunctionTool | BoundTool | SimulatedTools | Callable[..., Any]


class Toolbox:
    """Tools, how each is run, and the rules for every call.

    Tools are definitions, functions decorated with `@tool`, plain functions, fake worlds, or entries of an
    MCP server.
    `faults` is a plan of failures. `guard` is `auto`, `strict`, a policy or its file: calls that an attacker could have
    caused are stopped.
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

    def __init__(
        self,
        tools: Iterable[AnyTool] = (),
        *,
        mocks: MockPlan | Mapping[str, Any] | None = None,
        execute: Literal["mock", "real"] = "mock",
        rules: ToolRules | None = None,
        idempotency: Idempotency | Callable[[], Idempotency] | None = None,
        clock: Clock | None = None,
        seed: int = 0,
        **layers: Any,
    ) -> None:
        values = {"mocks": mocks, "execute": execute, "rules": rules, "clock": clock}
        require_values("Toolbox", Toolbox.__init__, {**values, "idempotency": idempotency, "seed": seed})
        given_tools = list(tools)
        self.skills = [source for source in given_tools if isinstance(source, Tool) and source.kind != "tool"]
        """Skills and agents: known by name, but neither shown to the model as tools nor run."""
        sources = (
            [source for source in given_tools if source not in self.skills] if self.skills else given_tools
        )
        self._worlds = [source for source in sources if isinstance(source, SimulatedTools)]
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
        self._clock = clock
        self._seed = seed
        self._rules = rules or ToolRules()
        self._idempotency = idempotency
        self._stages_by_layers: dict[tuple[str, ...], Stages] = {}
        self._keys_and_tokens: tuple[Idempotency, Confirmations] | None = None
        self._lock = threading.RLock()
        approvals = self._rules.approvals
        self.approvals = None if approvals is None else read_approvals(approvals)
        if self.approvals and (wrong := approval_problems(self.approvals, definitions)):
            raise ConfigError(*wrong)
        self._layers: dict[str, Layer | None] = {}
        for name, setting in layers.items():
            if name not in LAYERS:
                raise TypeError(f"Toolbox takes no '{name}'; {suggestion(name, LAYERS)}".removesuffix("; "))
            if setting is not None:
                self._add_layer(name, setting)
        in_use = filter(None, self._layers.values())
        self._real = execute == "real" and not any(layer.virtual_time for layer in in_use)

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

    def _stages(self, names: tuple[str, ...]) -> Stages:
        """What the calls of trials with these layers pass through; frameworks make calls in threads."""
        with self._lock:
            if names not in self._stages_by_layers:
                layers = filter(None, map(self._layers.get, names))
                preparer = Preparer(self.confirmations, self._rules.read_only, self.approvals)
                stages = [layer.stages(self._keys) for layer in layers]
                self._stages_by_layers[names] = pipeline(preparer, self._keys, self._rules, stages)
            return self._stages_by_layers[names]

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
    def bound_tools(self) -> list[BoundTool]:
        """The tools with their behaviour."""
        return list(self._entries.values())

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
        golden: AnyGolden | None = None,
        offered: Iterable[Tool] | None = None,
        roles: Iterable[str] | None = (),
    ) -> CallContext:
        """A fresh context for one trial of one task; `task` is the golden's id.

        `offered` are the tools this trial offers, when they are not all: a call of any other is refused, and
        one that the toolbox does not have, because the golden defines it, is answered with a generated result.
        `roles` are the caller's: a tool with roles refuses everybody who has none of them. None means that callers are
        not distinguished. A `golden` has its own id and roles, and may ask for layers.
        """
        if golden is not None:
            task = golden.id
            roles = None if golden.as_ is None else golden.as_.roles
        # Mocks and faults wait on the trial's own clock: their hours take no time, and one trial's
        # waiting does not affect another.
        recording = CURRENT.get()
        real = self._real and (recording is None or not recording.is_replaying)
        clock = self._clock or (SystemClock() if real else VirtualClock())
        context = CallContext(run=run, task=task, trial=trial, clock=clock, seed=self._seed)
        context.roles = None if roles is None else tuple(roles)
        context.worlds = {world.name: world.fresh() for world in self._worlds}
        context.offered = self._entries
        if offered is not None:
            context.offered = {
                tool.name: self._entries.get(tool.name) or _golden_entry(tool) for tool in offered
            }
        for name, layer in self.layers_of(golden):
            if (state := layer.begin(context, golden)) is not None:
                context.states[name] = state
        return context

    def unreachable(self) -> list[str]:
        """What its layers cannot do where the tools were run by the agent's own code."""
        in_use = filter(None, self._layers.values())
        return [problem for layer in in_use for problem in layer.unreachable(self.tools)]

    def layers_of(self, golden: AnyGolden | None) -> Iterator[tuple[str, Layer]]:
        """The layers of all trials, and those that a golden asks for, outermost first."""
        for name in LAYERS:
            if name not in self._layers and getattr(golden, name, None) is not None:
                self._add_layer(name)
            if (layer := self._layers.get(name)) is not None:
                yield name, layer

    def _add_layer(self, name: str, setting: Any = None) -> None:
        """Make a layer: by its setting, or because a golden asks for it."""
        self._layers[name] = load("layers", name)(setting, self._entries, self.skills)

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
        stages = self._stages(tuple(context.states))
        if not context.states:
            return await run_turn(calls, touches, lambda call: stages(ActiveCall(call, context)))
        verdicts: dict[int, CallVerdict] = {}
        with ExitStack() as stack:
            for state in context.states.values():
                verdicts.update(stack.enter_context(state.turn(calls, context)))
            return await run_turn(
                calls,
                touches,
                lambda call: stages(ActiveCall(call, context, verdict=verdicts.get(id(call)))),
            )

    async def invoke(self, call: ToolCall, context: CallContext) -> Invocation:
        """Run one call; see `invoke_turn`."""
        return (await self.invoke_turn([call], context))[0]

    def confirmation_token(self, call: ToolCall, context: CallContext) -> str:
        """The token that confirms one call, to be given to the user: for tools with `confirmation="user"`."""
        entry = context.offered.get(call.name)
        if entry is None or call.arguments is None:
            raise ConfigError(f"no call of '{call.name}' awaits confirmation")
        meaning = call_fingerprint(entry, normalise_arguments(entry.tool, call.arguments))
        return self.confirmations.issue(context, entry.tool.name, meaning)

    def _touches(self, call: ToolCall, context: CallContext) -> Touches:
        entry = context.offered.get(call.name)
        if entry is None or call.arguments is None:
            return False, None  # it will be refused: it touches nothing
        try:
            return entry.writes, entry.behaviour.resource(call.arguments)
        except Exception:  # the user's function saw arguments that are not validated yet
            return entry.writes, None

    def _check_entries(self, tools: Iterable[AnyTool], execute: str) -> list[BoundTool]:
        problems = []
        seen = set()
        entries = list(chain.from_iterable(self._entries_of(source, execute) for source in tools))
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
        """Entries whose mocks take precedence."""
        if isinstance(source, SimulatedTools):
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
