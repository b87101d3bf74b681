"""Neutral names for tools and parameters; goldens, mocks and texts that name a tool follow."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.improve.perturbations.variant import PerturbTask, Variant
from rightcall.model.golden import ExpectedCall, Golden
from rightcall.model.tool import Tool


def names(task: PerturbTask) -> Variant:
    """Neutral names of tools. Goldens whose text names a tool are left out."""
    numbers = list(range(1, len(task.tools) + 1))
    task.random("names").shuffle(numbers)
    new = {tool.name: f"tool_{number:02}" for tool, number in zip(task.tools, numbers, strict=True)}
    if not new:
        return task.with_goldens(task.goldens)
    spoken = re.compile(
        "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(new, key=len, reverse=True))
    )

    def text(words: str) -> str:
        return spoken.sub(lambda found: new[found.group()], words)

    tools = [
        msgspec.structs.replace(
            tool, name=new[tool.name], title="", description=text(tool.description),
            input_schema=_in_texts(tool.input_schema, text),
        )
        for tool in task.tools
    ]  # fmt: skip
    agent = task.plan.agent
    return task.with_tools(
        tools,
        [renamed_golden(g, new) for g in task.goldens if not spoken.search(g.input)],
        renamed={after: before for before, after in new.items()},
        system=text(agent.system),
        mocks={new.get(name, name): _in_texts(mock, text) for name, mock in agent.mocks.items()},
        tool_sets={
            name: tuple(new.get(one, one) for one in members) for name, members in agent.tool_sets.items()
        },
    )


def _in_texts(value: Any, text: Callable[[str], str]) -> Any:
    """A plain value with every text changed; keys stay."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {key: _in_texts(one, text) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_in_texts(one, text) for one in value)
    return value


def renamed_golden(golden: Golden, new: Mapping[str, str]) -> Golden:
    """The golden with its tools under other names."""

    def call(one: ExpectedCall) -> ExpectedCall:
        tool: Any = one.tool
        if isinstance(tool, str):
            tool = new.get(tool, tool)
        elif isinstance(tool, tuple):
            tool = tuple(new.get(name, name) for name in tool)
        return msgspec.structs.replace(one, tool=tool)

    return msgspec.structs.replace(
        golden,
        expected_calls=tuple(map(call, golden.expected_calls)),
        any_of=tuple(tuple(map(call, calls)) for calls in golden.any_of),
        forbidden_calls=tuple(
            new.get(one, one) if isinstance(one, str) else one for one in golden.forbidden_calls
        ),
        tools=None
        if golden.tools is None
        else tuple(new.get(one, one) if isinstance(one, str) else one for one in golden.tools),
    )


def parameters(task: PerturbTask) -> Variant:
    """Neutral names of parameters. Goldens that define tools are left out."""
    if task.plan.agent.mode == "loop" and task.plan.agent.execute == "real":
        raise ConfigError("--perturb parameters requires mocked tools: a function has fixed parameters")
    new = {tool.name: {p: f"p_{n:02}" for n, p in enumerate(tool.parameters, 1)} for tool in task.tools}
    mocks = {name: _renamed_mock(mock, new.get(name, {})) for name, mock in task.plan.agent.mocks.items()}
    tools = [_renamed_schema(tool, new[tool.name]) for tool in task.tools]
    goldens = [_renamed_arguments(golden, new) for golden in task.on_suite_tools]
    return task.with_tools(tools, [golden for golden in goldens if golden is not None], mocks=mocks)


def _renamed_schema(tool: Tool, new: Mapping[str, str]) -> Tool:
    schema = copy.deepcopy(tool.input_schema)
    schema["properties"] = {new.get(name, name): one for name, one in tool.parameters.items()}
    if isinstance(schema.get("required"), list):
        schema["required"] = [new.get(name, name) for name in schema["required"]]
    return msgspec.structs.replace(tool, input_schema=schema)


def _renamed_mock(mock: Any, new: Mapping[str, str]) -> Any:
    if not isinstance(mock, dict) or not isinstance(mock.get("cases"), list):
        return mock
    cases = [
        {**case, "args": {new.get(name, name): value for name, value in (case.get("args") or {}).items()}}
        for case in mock["cases"]
    ]
    return {**mock, "cases": cases}


def _renamed_arguments(golden: Golden, new: Mapping[str, Mapping[str, str]]) -> Golden | None:
    """The golden with its arguments under other names; None when a call may be one of several tools."""
    calls = [*golden.expected_calls, *(call for some in golden.any_of for call in some)]
    if any(not isinstance(call.tool, str) for call in calls):
        return None

    def call(one: ExpectedCall) -> ExpectedCall:
        known = new.get(str(one.tool), {})
        return msgspec.structs.replace(
            one,
            args=None if one.args is None else {known.get(k, k): v for k, v in one.args.items()},
            forbidden_args=tuple(known.get(k, k) for k in one.forbidden_args),
        )

    return msgspec.structs.replace(
        golden,
        expected_calls=tuple(map(call, golden.expected_calls)),
        any_of=tuple(tuple(map(call, some)) for some in golden.any_of),
    )
