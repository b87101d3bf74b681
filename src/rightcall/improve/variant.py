"""An agent with other definitions of its tools: other words, another order, other names. What tools do stays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import msgspec

from rightcall.agents.agent import Agent, is_address, is_function, tools_of
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.agents.observed.request_desk import RequestChange
from rightcall.core.errors import ConfigError
from rightcall.improve.run_setup import RunRecord
from rightcall.records.tool import Tool
from rightcall.run.plan import Plan
from rightcall.tools.definitions.function import FunctionTool, tool as as_function_tool
from rightcall.tools.definitions.source import definitions_of
from rightcall.tools.runtime.bound_tool import BoundTool
from rightcall.tools.worlds.base import World


def redefine_agent(
    agent: Agent, tools: Sequence[Tool], *, renamed: Mapping[str, str] | None = None, **fields: Any
) -> Agent:
    """The agent with these definitions, in this order. `renamed` maps a new name to the one the agent has."""
    if agent.mcp is not None and agent.mode == "loop" and agent.execute == "real":
        # The session would offer the definitions of the server, and every variant would be the same agent.
        raise ConfigError(
            "tools that an MCP server runs for real keep its definitions; try other ones with execute: mock"
        )
    _require_reach(agent, fields.get("system", agent.system) != agent.system)
    if isinstance(agent.model, ObservedAgent):
        change = _request_change(agent, tools, renamed or {}, fields.get("system", agent.system))
        return replace(agent, model=replace(agent.model, change=change))
    offered = {skill.name for skill in agent.skills}
    skills = [tool for tool in tools if tool.name in offered]
    given_tools = [tool for tool in tools if tool.name not in offered]
    return replace(agent, tools=_redefine_tools(agent, given_tools, renamed or {}), skills=skills, **fields)


def _require_reach(agent: Agent, system: bool) -> None:
    """Refuse an agent that does not get its definitions from here: every variant would be the same agent."""
    field = "system" if system else "tools"
    if is_address(agent.model) and not agent.exchange.sends(field):
        raise ConfigError(
            f"'{agent.name}' is not sent {field}, so other ones cannot be tried; add {{{{{field}}}}} to agent.request"
        )
    if isinstance(agent.model, ObservedAgent) and agent.model.request_problem:
        raise ConfigError(f"other definitions cannot be tried: {agent.model.request_problem}")
    if is_function(agent.model):
        raise ConfigError(
            f"'{agent.name}' defines its tools and instructions itself, so other ones cannot be tried; "
            "observe it (agent.observe: auto), and they are tried in its requests"
        )


def with_heard_setup(plan: Plan, record: RunRecord) -> Plan:
    """The plan with what an observed agent's requests had in a run: its tools and its instructions."""
    agent = plan.agent
    if not isinstance(agent.model, ObservedAgent):
        return plan
    named = {tool.name: tool for tool in plan.definitions}
    heard = [
        msgspec.structs.replace(tool, annotations=named[tool.name].annotations)
        if tool.name in named
        else tool
        for tool in record.offered
    ]
    skills = [tool for tool in agent.tools if getattr(tool, "kind", "tool") != "tool"]
    tools = [*heard, *skills] if heard else agent.tools
    return replace(plan, agent=replace(agent, tools=tools, system=record.heard))


def _request_change(
    agent: Agent, tools: Sequence[Tool], renamed: Mapping[str, str], system: str
) -> RequestChange:
    """What the agent's requests have to say instead. Its own code runs its tools by their names."""
    before = {tool.name: tool for tool in chain.from_iterable(map(definitions_of, tools_of(agent)))}
    if renamed or [tool.name for tool in tools] != list(before):
        raise ConfigError(
            f"the code of '{agent.name}' runs its tools, so only their texts and schemas can be tried in its requests,"
            " not other names, tools or orders"
        )
    if not system.startswith(agent.system):
        raise ConfigError(f"the instructions of '{agent.name}' can only be added to in its requests")
    changed = {
        tool.name: tool
        for tool in tools
        if (tool.description, tool.input_schema)
        != (before[tool.name].description, before[tool.name].input_schema)
    }
    return RequestChange(changed, system.removeprefix(agent.system).strip())


def _redefine_tools(agent: Agent, tools: Sequence[Tool], renamed: Mapping[str, str]) -> list[Any]:
    if agent.mode != "loop" or all(isinstance(tool_given, Tool | dict) for tool_given in agent.tools):
        return list(tools)  # nothing runs, or nothing but mocks
    functions = {
        function_tool.tool.name: function_tool
        for function_tool in map(_with_definition, agent.tools)
        if function_tool is not None
    }
    definitions = [tool for tool in agent.tools if isinstance(tool, Tool | dict)]
    plain = {tool.name if isinstance(tool, Tool) else str(tool.get("name")) for tool in definitions}
    redefined: list[Any] = []
    for tool in tools:
        name = renamed.get(tool.name, tool.name)
        if name in functions:
            redefined.append(dataclasses.replace(functions[name], tool=tool))
        elif tool.kind != "tool" or name in plain or tool.name in agent.mocks or name in agent.mocks:
            redefined.append(tool)
        else:
            raise ConfigError(
                f"the definition of '{name}' belongs to code that cannot be given another one; "
                "give its definition in a file, or mock it in the suite"
            )
    return redefined


def _with_definition(tool_given: Any) -> Any:
    """A tool whose definition can be exchanged; None for one of a world, or a mere definition."""
    if isinstance(tool_given, FunctionTool | BoundTool):
        return tool_given
    plain = callable(tool_given) and not isinstance(tool_given, Tool | dict | World)
    return as_function_tool(tool_given) if plain else None
