"""The tools of an agent, ready to be called: `await toolbox.invoke_turn(calls, context)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from rightcall.errors import ConfigError, InputError
from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.tools.clock import Clock, SystemClock
from rightcall.tools.confirmation import Confirmations
from rightcall.tools.context import CallContext
from rightcall.tools.entry import Entry, Ready, function_ready, mock_ready
from rightcall.tools.function import PLAIN, FunctionTool, tool
from rightcall.tools.idempotency import Idempotency
from rightcall.tools.idempotency_store import sqlite_store
from rightcall.tools.invocation import Invocation
from rightcall.tools.invoke import Injector, Invoker
from rightcall.tools.mocks import MockPlan
from rightcall.tools.policy import Rules
from rightcall.tools.prepare import Preparer
from rightcall.tools.turn import Touches, run_turn
from rightcall.tools.validate import check_schema

AnyTool = Tool | FunctionTool | Entry | Callable[..., Any]


class Toolbox:
    """Tools with the way each is run, and the rules every call obeys.

    Tools are definitions, functions made tools by `@tool`, plain functions, or entries of an MCP server.
    By default nothing runs for real: a tool answers with its mock, or with a result made from its output
    schema. `execute="real"` runs the functions themselves, as does `{real: true}` in a mock for one tool.

    One toolbox serves any number of trials at once. What belongs to a trial is in its context:

        context = toolbox.context(run="r1", task=golden.id, trial=0)
        tools = toolbox.offered(context)                              # what to show to the model
        invocations = await toolbox.invoke_turn(message.calls, context)
        calls = [i.call for i in invocations]        # the model's calls with status, output and latency
        results = [i.result for i in invocations]    # what to tell the model, in the order of its calls
    """

    def __init__(
        self,
        tools: Iterable[AnyTool] = (),
        *,
        mocks: MockPlan | Mapping[str, Any] | None = None,
        execute: Literal["mock", "real"] = "mock",
        rules: Rules | None = None,
        idempotency: Idempotency | None = None,
        faults: Injector | None = None,
        clock: Clock | None = None,
        seed: int = 0,
    ) -> None:
        self._entries = {entry.tool.name: entry for entry in self._checked(tools, execute)}
        self._mocks = mocks if isinstance(mocks, MockPlan) else MockPlan(mocks or {}, self._entries)
        self._clock, self._seed = clock or SystemClock(), seed
        obeyed = rules or Rules()
        kept = idempotency or Idempotency(sqlite_store())
        self.confirmations = Confirmations(kept.store)
        preparer = Preparer(self._resolve, self._names, self.confirmations, obeyed.policy)
        self._invoker = Invoker(preparer, kept, obeyed.retries, obeyed.strict, faults)

    @property
    def tools(self) -> list[Tool]:
        """The tools as they are defined."""
        return [entry.tool for entry in self._entries.values()]

    def context(self, *, run: str = "", task: str = "", trial: int = 0) -> CallContext:
        """A fresh context for one trial of one task; `task` is the golden's id."""
        return CallContext(run=run, task=task, trial=trial, clock=self._clock, seed=self._seed)

    def offered(self, context: CallContext) -> list[Tool]:
        """The tools to show to the model in this trial."""
        return self.tools

    async def invoke_turn(self, calls: Sequence[ToolCall], context: CallContext) -> list[Invocation]:
        """Run all calls of one assistant message; one invocation for each, in the same order.

        Calls that only read, or touch different resources, run side by side; others keep their order. A
        failing call is data: its invocation has an `error`, and its `result` tells the model what to do.

        Raises `Aborted` when the agent has to be stopped; its `invocations` still hold one entry for
        every call, so append their results to the transcript before ending it. Cancelling is safe: what
        was running is recorded in `context.invocations` as failed or unknown.
        """
        touches = [self._touches(call, context) for call in calls] if len(calls) > 1 else [(True, None)]
        return await run_turn(calls, touches, lambda call: self._invoker.invoke(call, context))

    async def invoke(self, call: ToolCall, context: CallContext) -> Invocation:
        """Run one call; see `invoke_turn`."""
        (invocation,) = await self.invoke_turn([call], context)
        return invocation

    def _resolve(self, name: str, context: CallContext) -> Entry | None:
        return self._entries.get(name)

    def _names(self, context: CallContext) -> list[str]:
        return list(self._entries)

    def _touches(self, call: ToolCall, context: CallContext) -> Touches:
        entry = self._resolve(call.name, context)
        if entry is None or call.arguments is None:
            return False, None  # it will be refused: it touches nothing
        try:
            return entry.writes, entry.behaviour.resource(call.arguments)
        except Exception:  # the user's function saw arguments that are not validated yet
            return entry.writes, None

    def _checked(self, tools: Iterable[AnyTool], execute: str) -> list[Entry]:
        entries, problems, seen = [], [], set()
        for given in tools:
            entry = self._entry(given, execute)
            if entry.tool.name in seen:
                problems.append(f"there are two tools named '{entry.tool.name}'; rename one")
            seen.add(entry.tool.name)
            try:
                check_schema(entry.tool)
            except InputError as error:
                problems.append(str(error))
            entries.append(entry)
        if problems:
            raise ConfigError(*problems)
        return entries

    def _entry(self, given: AnyTool, execute: str) -> Entry:
        if isinstance(given, Entry):
            return given
        if isinstance(given, Tool):
            return Entry(given, PLAIN, lambda context: self._mocked(given, None, context))
        function = given if isinstance(given, FunctionTool) else tool(given)
        real = function_ready(function)
        if execute == "real":
            return Entry(
                function.tool,
                function.behaviour,
                lambda context: self._mocked_or(function.tool, real, context),
            )
        return Entry(
            function.tool, function.behaviour, lambda context: self._mocked(function.tool, real, context)
        )

    def _mocked(self, tool: Tool, real: Ready | None, context: CallContext) -> Ready:
        """The mock of a tool; the tool itself where its mock says so."""
        mock = self._mocks.find(tool.name, context.task)
        if mock is not None and mock.real and real is not None:
            return real
        return mock_ready(tool, mock, self._mocks)

    def _mocked_or(self, tool: Tool, real: Ready, context: CallContext) -> Ready:
        """The tool itself, unless it has a mock."""
        mock = self._mocks.find(tool.name, context.task)
        return real if mock is None or mock.real else mock_ready(tool, mock, self._mocks)
