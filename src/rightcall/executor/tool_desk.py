"""The tools of an observed agent, run by our toolbox instead of its framework: mocked, or with faults."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Literal

from rightcall.adapters import ToolAnswer
from rightcall.model.call import ToolCall
from rightcall.model.golden import Golden
from rightcall.model.tool import Tool
from rightcall.tools.definitions import PLAIN
from rightcall.tools.faults import FaultPlan
from rightcall.tools.runtime import Aborted, BoundTool, CallContext, RunnableTool, Toolbox

_REAL: ContextVar[Callable[[], Awaitable[Any]]] = ContextVar("rightcall_real_tool")
"""The framework's own tool for the call that is being run."""


class DeskSetup:
    """Makes a desk for every trial, over one toolbox."""

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        mocks: Mapping[str, Any],
        execute: Literal["mock", "real"],
        faults: FaultPlan | None,
        seed: int,
        run_id: str,
    ) -> None:
        self._toolbox = Toolbox(
            [_entry(tool) for tool in tools], mocks=mocks, execute=execute, faults=faults, seed=seed
        )
        self._run_id = run_id

    def desk(self, golden: Golden, trial: int) -> Desk:
        context = self._toolbox.context(run=self._run_id, task=golden.id, trial=trial)
        return Desk(self._toolbox, context)


class Desk:
    """Where the tool calls of one trial are answered."""

    def __init__(self, toolbox: Toolbox, context: CallContext) -> None:
        self._toolbox, self.context = toolbox, context

    async def run(
        self, name: str, arguments: dict[str, Any], call_id: str, real: Callable[[], Awaitable[Any]]
    ) -> ToolAnswer:
        """The result of one call for the model, and whether it failed."""
        token = _REAL.set(real)
        try:
            invocation = await self._toolbox.invoke(ToolCall(name, arguments, call_id), self.context)
        except Aborted as stop:
            return ToolAnswer(stop.reason, failed=True)
        finally:
            _REAL.reset(token)
        return ToolAnswer(invocation.result.output, invocation.call.status == "error")


def _entry(tool: Tool) -> BoundTool:
    """A tool whose real implementation is what the framework would have done with this call."""

    async def run(*_: Any) -> Any:
        return await _REAL.get()()

    ready = RunnableTool(run, live=True)
    return BoundTool(tool, PLAIN, lambda context: ready)
