"""An agent with other definitions of its tools: other words, another order, other names. What tools do stays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rightcall.agents.agent import Agent, is_address
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.core.errors import ConfigError
from rightcall.records.tool import Tool
from rightcall.tools.definitions.function import FunctionTool, tool as as_function_tool
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
    model = agent.model
    if isinstance(model, ObservedAgent) or (callable(model) and not hasattr(model, "complete")):
        raise ConfigError(
            f"'{agent.name}' defines its tools and instructions itself, so other ones cannot be tried; "
            "use its model in the suite (model: provider:model with tools), or change what users say"
        )


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
