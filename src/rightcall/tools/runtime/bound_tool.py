"""A tool in a toolbox, and the ways to run one: the function, a mock, a world, a generated answer; skills."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from rightcall.core.errors import contain_exits
from rightcall.records.tool import Annotations, Tool
from rightcall.schema.sample_values import sample_value
from rightcall.tools.definitions.behaviour import Behaviour, CallInfo, only_reads
from rightcall.tools.definitions.function import PLAIN, FunctionTool, Late, call_function
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.mocks import Mock, MockCase, MockPlan, includes, steps

Runner = Callable[[dict[str, Any], CallInfo, CallContext, Late], Awaitable[Any]]


class RunnableTool(msgspec.Struct, frozen=True):
    """A tool ready to run in one trial. None means that the tool has none."""

    run: Runner
    probe: Callable[..., Any] | None = None
    current_version: Callable[..., Any] | None = None
    preview: Callable[..., Any] | None = None
    check_arguments: Callable[[dict[str, Any]], object] | None = None
    live: bool = False
    """Whether running it touches something that outlives the trial."""
    has_run: bool = False
    """Whether the agent's own code has run it already: what stands around the call sees its result alone."""


class BoundTool(msgspec.Struct, frozen=True):
    """A tool with its behaviour and how to prepare it for a trial."""

    tool: Tool
    behaviour: Behaviour
    ready: Callable[[CallContext], RunnableTool]
    added: frozenset[str] = frozenset()
    """Parameters that the runtime reads, and that the function does not take."""

    @property
    def writes(self) -> bool:
        """Whether a call may change something."""
        return not only_reads(self.tool.annotations)


@runtime_checkable
class SimulatedTools(Protocol):
    """Tools over a state that begins the same in every trial. They are harmless, and need no permission to run."""

    @property
    def name(self) -> str: ...

    def entries(self) -> list[BoundTool]: ...

    def fresh(self) -> Any: ...


def always_ready(tool: Tool, ready: RunnableTool, behaviour: Behaviour = PLAIN) -> BoundTool:
    """A tool that is run in the same way in every trial."""
    return BoundTool(tool, behaviour, lambda context: ready)


def generated_tool(tool: Tool) -> BoundTool:
    """A tool whose answers are made from its output schema."""
    return always_ready(tool, mock_ready(tool, None, None))


def function_tool(tool: FunctionTool) -> BoundTool:
    """The function itself as a tool."""
    of_tool = tool.behaviour
    ready = RunnableTool(
        partial(run_function, tool),
        of_tool.probe,
        of_tool.current_version,
        of_tool.preview,
        check_arguments=(lambda arguments: tool.keywords(arguments, CallInfo())) if tool.converters else None,
        live=True,
    )
    return BoundTool(tool.tool, of_tool, lambda context: ready, tool.added)


def mock_ready(tool: Tool, mock: Mock | None, plan: MockPlan | None) -> RunnableTool:
    """A canned or generated answer."""

    async def run(arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late) -> Any:
        if mock is None:
            return sample_value(tool.output_schema, context.random("generated", tool.name))
        return await _mock_answer(tool, mock, plan, arguments, context=context)

    return RunnableTool(run)


async def run_function(
    tool: FunctionTool, arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late
) -> Any:
    """Call a function of any kind: blocking ones in a thread, generators to their end."""
    keywords = tool.keywords(arguments, info)
    if tool.is_coroutine:
        with contain_exits():
            return await tool.function(**keywords)
    return await call_function(partial(tool.function, **keywords), late)


async def _mock_answer(
    tool: Tool, mock: Mock, plan: MockPlan | None, arguments: dict[str, Any], context: CallContext
) -> Any:
    answer = next((case for case in mock.cases if includes(arguments, case.args)), None)
    if answer is None and mock.sequence:
        sequence = steps(mock)
        answer = sequence[min(context.count(("mock", tool.name, id(mock))), len(sequence) - 1)]
    if answer is None:
        answer = MockCase({}, mock.result, mock.error)
    if answer.error is not None:
        raise answer.error.exception()
    if answer.result is not msgspec.UNSET:
        return answer.result
    if mock.function is not None and plan is not None:
        return await plan.call(tool, mock, arguments, context)
    return sample_value(tool.output_schema, context.random("generated", tool.name))


LOAD_SKILL = "load_skill"


class SkillLoader(NamedTuple):
    """The tool, and the mock that answers it."""

    tool: Tool
    mock: dict[str, Any]


def skill_loader(skills: Sequence[Tool]) -> SkillLoader:
    """The loader of skills that a model may load itself. Its description is the catalogue: names and descriptions."""
    offered = [skill for skill in skills if skill.skill is None or skill.skill.by_model]
    catalogue = "\n".join(f"- {skill.name}: {' '.join(skill.description.split())}" for skill in offered)
    tool = Tool(
        LOAD_SKILL,
        f"Load the instructions of a skill before you do a task that it is for. Skills:\n{catalogue}",
        {
            "type": "object",
            "properties": {
                "name": {
                    "type": "string",
                    "enum": [skill.name for skill in offered],
                    "description": "Name of the skill",
                }
            },
            "required": ["name"],
            "additionalProperties": False,
        },
        annotations=Annotations(read_only=True),
    )
    bodies = [
        {"args": {"name": skill.name}, "result": skill.skill.body if skill.skill else ""} for skill in offered
    ]
    return SkillLoader(tool, {"cases": bodies, "error": {"error": "not_found", "detail": "no such skill"}})


def with_described_skill(loader: Tool, skill: str, text: str) -> Tool:
    """The loader with more to its description of one skill; unchanged when its catalogue does not have the skill."""
    lines = loader.description.split("\n")
    mark = f"- {skill}: "
    joined = [f"{line} {' '.join(text.split())}" if line.startswith(mark) else line for line in lines]
    return msgspec.structs.replace(loader, description="\n".join(joined))
