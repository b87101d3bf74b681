"""Neutral names for tools and parameters; goldens, mocks and texts that name a tool follow."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.improve.variant import PerturbTask, Variant
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import Golden, expectations_of
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
        return spoken.sub(lambda match: new[match.group()], words)

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
        [rename_golden_tools(g, new) for g in task.goldens if not spoken.search(g.input)],
        renamed={after: before for before, after in new.items()},
        system=text(agent.system),
        mocks={new.get(name, name): _in_texts(mock, text) for name, mock in agent.mocks.items()},
        tool_sets={
            name: tuple(new.get(member, member) for member in members)
            for name, members in agent.tool_sets.items()
        },
    )


def _in_texts(value: Any, text: Callable[[str], str]) -> Any:
    """A plain value with every text changed; keys stay."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {key: _in_texts(inner, text) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_in_texts(inner, text) for inner in value)
    return value


def rename_golden_tools(golden: Golden, new: Mapping[str, str]) -> Golden:
    """The golden with its tools under other names."""

    def rename(named: Any) -> Any:
        """A tool, or several; a pattern and a definition stay."""
        if isinstance(named, list | tuple):
            return tuple(map(rename, named))
        return new.get(named, named) if isinstance(named, str) else named

    renamed = _with_calls(golden, lambda call: msgspec.structs.replace(call, tool=rename(call.tool)))
    return msgspec.structs.replace(
        renamed, forbidden_calls=rename(golden.forbidden_calls), tools=rename(golden.tools)
    )


def _with_calls(golden: Golden, change: Callable[[ExpectedCall], ExpectedCall]) -> Golden:
    alternatives = tuple(tuple(map(change, calls)) for calls in golden.any_of)
    calls = tuple(map(change, golden.expected_calls))
    return msgspec.structs.replace(golden, expected_calls=calls, any_of=alternatives)


def parameters(task: PerturbTask) -> Variant:
    """Neutral names of parameters. Goldens that define tools are left out."""
    if task.plan.agent.mode == "loop" and task.plan.agent.execute == "real":
        raise ConfigError("--perturb parameters requires mocked tools: a function has fixed parameters")
    new = {tool.name: {p: f"p_{n:02}" for n, p in enumerate(tool.parameters, 1)} for tool in task.tools}
    mocks = {name: _rename_mock(mock, new.get(name, {})) for name, mock in task.plan.agent.mocks.items()}
    tools = [_rename_schema(tool, new[tool.name]) for tool in task.tools]
    goldens = [_rename_arguments(golden, new) for golden in task.on_suite_tools]
    return task.with_tools(tools, [golden for golden in goldens if golden is not None], mocks=mocks)


def _rename_schema(tool: Tool, new: Mapping[str, str]) -> Tool:
    schema = copy.deepcopy(tool.input_schema)
    schema["properties"] = {
        new.get(name, name): parameter_schema for name, parameter_schema in tool.parameters.items()
    }
    if isinstance(schema.get("required"), list):
        schema["required"] = [new.get(name, name) for name in schema["required"]]
    return msgspec.structs.replace(tool, input_schema=schema)


def _rename_mock(mock: Any, new: Mapping[str, str]) -> Any:
    if not isinstance(mock, dict) or not isinstance(mock.get("cases"), list):
        return mock
    cases = [
        {**case, "args": {new.get(name, name): value for name, value in (case.get("args") or {}).items()}}
        for case in mock["cases"]
    ]
    return {**mock, "cases": cases}


def _rename_arguments(golden: Golden, new: Mapping[str, Mapping[str, str]]) -> Golden | None:
    """The golden with its arguments under other names; None when a call may be one of several tools."""
    if any(not isinstance(call.tool, str) for call in expectations_of(golden)):
        return None

    def call(expected_call: ExpectedCall) -> ExpectedCall:
        new_names = new.get(str(expected_call.tool), {})
        return msgspec.structs.replace(
            expected_call,
            args=None
            if expected_call.args is None
            else {new_names.get(k, k): v for k, v in expected_call.args.items()},
            forbidden_args=tuple(new_names.get(k, k) for k in expected_call.forbidden_args),
        )

    return _with_calls(golden, call)
