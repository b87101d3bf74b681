"""A tool in a toolbox, and the ways to run one: the function, a mock, a world, a generated answer; skills."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from rightcall.core.errors import contain_exits
from rightcall.core.event_loop.worker_threads import in_thread
from rightcall.model.tool import Annotations, Tool
from rightcall.schema.sample_values import sample_value
from rightcall.tools.definitions.behaviour import Behaviour, CallInfo, only_reads
from rightcall.tools.definitions.function import PLAIN, FunctionTool
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.mocks import Mock, MockCase, MockPlan, includes, steps

Late = Callable[[Any, BaseException | None], None]
Runner = Callable[[dict[str, Any], CallInfo, CallContext, Late], Awaitable[Any]]

MOST_YIELDED = 100_000
"""Maximum items taken from a generator, so that an endless tool cannot exhaust memory."""


class RunnableTool(msgspec.Struct, frozen=True):
    """A tool ready to run in one trial. None means that the tool has none."""

    run: Runner
    probe: Callable[..., Any] | None = None
    current_version: Callable[..., Any] | None = None
    preview: Callable[..., Any] | None = None
    check_arguments: Callable[[dict[str, Any]], object] | None = None
    past: Callable[[int], Callable[[dict[str, Any]], Awaitable[Any]] | None] | None = None
    """The tool's answer as of some changes ago, where that is known."""
    live: bool = False
    """Whether running it touches something that outlives the trial."""


class BoundTool(msgspec.Struct, frozen=True):
    """A tool with its behaviour and how to prepare it for a trial."""

    tool: Tool
    behaviour: Behaviour
    ready: Callable[[CallContext], RunnableTool]

    @property
    def writes(self) -> bool:
        """Whether a call may change something."""
        return not only_reads(self.tool.annotations)


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
        (lambda arguments: tool.keywords(arguments, CallInfo())) if tool.converters else None,
        live=True,
    )
    return always_ready(tool.tool, ready, of_tool)


def mock_ready(tool: Tool, mock: Mock | None, plan: MockPlan | None) -> RunnableTool:
    """A canned or generated answer."""

    async def run(arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late) -> Any:
        if mock is None:
            return sample_value(tool.output_schema, context.random("generated", tool.name))
        if mock.delay_ms:
            await context.clock.sleep(mock.delay_ms / 1000)
        return await _mock_answer(tool, mock, plan, arguments, context)

    return RunnableTool(run)


async def run_function(
    tool: FunctionTool, arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late
) -> Any:
    """Call a function of any kind: blocking ones in a thread, generators to their end."""
    keywords = tool.keywords(arguments, info)
    if tool.is_coroutine:
        with contain_exits():
            return await tool.function(**keywords)
    return await call(partial(tool.function, **keywords), late)


async def call(function: Callable[[], Any], late: Late | None = None) -> Any:
    """Call a function without arguments, sync or async, and return its result."""
    with contain_exits():
        return await _call_blocking(function, late)


async def _call_blocking(function: Callable[[], Any], late: Late | None) -> Any:
    kind = innermost(function)
    if inspect.iscoroutinefunction(kind):
        return await function()
    if inspect.isasyncgenfunction(kind):
        items = []
        async for item in function():
            items.append(item)
            if len(items) >= MOST_YIELDED:
                break
        return _join_items(items)
    if inspect.isgeneratorfunction(kind):
        return await in_thread(lambda: _join_items(list(islice(function(), MOST_YIELDED))), when_late=late)
    result = await in_thread(function, when_late=late)
    return await result if inspect.isawaitable(result) else result


def innermost(function: Any) -> Any:
    """The function inside partials and callable objects."""
    while isinstance(function, partial):
        function = function.func
    if not inspect.isroutine(function) and not inspect.isclass(function):
        function = getattr(function, "function", None) or getattr(function, "__call__", function)  # noqa: B004
    return innermost(function) if isinstance(function, partial) else function


def _join_items(items: list[Any]) -> Any:
    """The values of a generator: joined if they are text, otherwise as a list."""
    return "".join(items) if items and all(isinstance(item, str) for item in items) else items


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
        return await call(partial(plan.function(mock), **arguments))
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
