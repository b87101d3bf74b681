"""The sources of tools: a file, a Python module or an MCP server, each named by a string."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.core.event_loop import run_blocking
from rightcall.files.checked_read import require_file
from rightcall.files.documents import DOCUMENT_SUFFIXES, read_items, refuse_other_format, value_of
from rightcall.files.python_object import is_object_name, load_object
from rightcall.model.dialects import read_tool
from rightcall.model.tool import Tool
from rightcall.schema.skill_definition import load_skills
from rightcall.tools.definitions.function import FunctionTool, tool
from rightcall.tools.mcp.address import McpAddress, read_address
from rightcall.tools.runtime.bound_tool import BoundTool
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.tools.worlds.base import World

SKILLS = "skills:"
"""The prefix of a folder of skills, wherever a source of tools is named."""


def load_tools(path: str | Path) -> list[Tool]:
    """The tools of a JSON or YAML file: a list, an object with `tools` as MCP servers answer, or one tool.

    Each definition may use another provider's format. Duplicate names are an error. `skills:DIR` are the skills in a
    folder.
    """
    if str(path).startswith(SKILLS):
        return load_skills([str(path).removeprefix(SKILLS)])
    path = require_file(path)
    if path.suffix.lower() not in DOCUMENT_SUFFIXES:
        suffix_text = f"the suffix '{path.suffix}'" if path.suffix else "no suffix"
        hint = suggestion(path.suffix, DOCUMENT_SUFFIXES) or f"use one of {', '.join(DOCUMENT_SUFFIXES)}"
        raise InputError(str(path), f"cannot infer the format from {suffix_text}", hint)
    items = read_items(path, "tools")
    if "format" in items.header:
        refuse_other_format(items.header["format"], "tools", 1, str(path))
    lines: dict[str, int] = {}
    tools: list[Tool] = []
    for line, item in items.entries:
        where = f"{path}:{line}"
        tool = read_tool(value_of(item, object, where), where)
        if tool.name in lines:
            problem = f"duplicate tool '{tool.name}', first defined in line {lines[tool.name]}"
            raise InputError(where, problem, "models distinguish tools by name only")
        lines[tool.name] = line
        tools.append(tool)
    return tools


AgentTools = Callable[[Any], "list[Tool] | None"]
"""Returns the tools of an agent object of some framework; None for anything else."""


@asynccontextmanager
async def open_source(source: str, agent_tools: AgentTools | None = None) -> AsyncIterator[list[Any]]:
    """The tools for a toolbox, from `tools.json`, `package.module:attribute`, `mcp:COMMAND` or `skills:DIR`.

    A server runs as long as the context is open.
    """
    if source.startswith("mcp:"):
        from rightcall.tools.mcp.client import McpServer

        async with McpServer(read_address(source, source)) as server:
            yield list(server.entries())
    elif is_object_name(source) and not source.startswith(SKILLS):
        yield from_module(source, agent_tools)
    else:
        yield list(load_tools(source))


def tools_of(source: str, agent_tools: AgentTools | None = None) -> list[Tool]:
    """The definitions of the tools a source offers. Starts and stops a server when it is one."""

    async def list_definitions() -> list[Tool]:
        async with open_source(source, agent_tools) as entries:
            return [tool for entry in entries for tool in definitions_of(entry)]

    return run_blocking(list_definitions())


def list_server_tools(address: McpAddress) -> tuple[list[Tool], str]:
    """The definitions that an MCP server lists, and its name and version; it is started and stopped for that."""

    from rightcall.tools.mcp.client import McpServer

    async def connect_and_list() -> tuple[list[Tool], str]:
        async with McpServer(address) as server:
            return list(server.tools), f"{server.name} {server.version}".strip()

    return run_blocking(connect_and_list())


def from_module(source: str, agent_tools: AgentTools | None = None) -> list[Any]:
    """The tools of a module's attribute: one tool, several, a toolbox, a world, or an agent."""
    value = load_object(source, "tools")
    of_agent = agent_tools(value) if agent_tools is not None else None
    if of_agent is not None:
        return list(of_agent)
    entries = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    for entry in entries:
        if not isinstance(entry, Tool | FunctionTool | BoundTool | World) and not callable(entry):
            raise InputError(
                source, f"a {type(entry).__name__} is not a tool", "decorate a function with @tool"
            )
    return entries


def definitions_of(entry: Any) -> list[Tool]:
    """The definitions of one item that a toolbox accepts."""
    if isinstance(entry, Tool):
        return [entry]
    if isinstance(entry, FunctionTool | BoundTool):
        return [entry.tool]
    if isinstance(entry, World):
        return [function_tool.tool for function_tool in entry.tools()]
    if isinstance(entry, Toolbox):
        return entry.tools
    if not callable(entry):
        raise ConfigError(
            f"a {type(entry).__name__} is not a tool; tools are functions, definitions (rc.Tool) and worlds, or the"
            " name of a file"
        )
    return [tool(entry).tool]


def confirmed_tools(entries: Iterable[Any]) -> set[str]:
    """The names of tools that ask for a confirmation before they act."""
    with_behaviour = [
        function_tool
        for entry in entries
        for function_tool in (entry.tools() if isinstance(entry, World) else [entry])
        if isinstance(function_tool, FunctionTool | BoundTool)
    ]
    return {entry.tool.name for entry in with_behaviour if entry.behaviour.confirmation != "none"}
