"""The sources of tools: a file, a Python module or an MCP server, each named by a string."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import chain, filterfalse
from pathlib import Path
from typing import Any, TypeVar

from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.core.event_loop import run_blocking
from rightcall.core.seam import load
from rightcall.files.checked_read import require_file
from rightcall.files.documents import DOCUMENT_SUFFIXES, read_items, refuse_other_format, value_of
from rightcall.files.python_object import is_object_name, load_object, object_from_factory
from rightcall.records.dialects import read_tool
from rightcall.records.tool import Tool
from rightcall.schema.skill_definition import load_skills
from rightcall.tools.definitions.function import FunctionTool, tool
from rightcall.tools.mcp.address import McpAddress, read_address
from rightcall.tools.runtime.bound_tool import BoundTool
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.tools.worlds.base import World

SKILLS = "skills:"
"""The prefix of a folder of skills, wherever a source of tools is named."""
GROUPS = ("tools", "functionDeclarations", "function_declarations")
"""Keys of objects that list tools: as MCP servers answer, and as Gemini is asked."""
SETTINGS = ("tool_search", "programmatic_tool_calling", "code_execution_", "advisor_")
"""How the types of entries begin that set how tools are found and called: they are in requests' lists of tools."""
NO_SERVER_TOOLS = "the server lists none"
OWN = Tool | FunctionTool | BoundTool | World

T = TypeVar("T")


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
        value: Any = value_of(item, object, where)
        for raw in filterfalse(is_setting, _group_of(value)[1] or [value]):
            definition = read_tool(raw, where)
            if definition.name in lines:
                problem = (
                    f"duplicate tool '{definition.name}', first defined in line {lines[definition.name]}"
                )
                raise InputError(where, problem, "models distinguish tools by name only")
            lines[definition.name] = line
            tools.append(definition)
    return require_tools(tools, str(path))


def require_tools(tools: list[T], where: str, hint: str = "add at least one") -> list[T]:
    """The tools of a source; one without any is an error, because nothing would be checked."""
    if not tools:
        raise InputError(where, "no tools found", hint)
    return tools


@asynccontextmanager
async def open_source(source: str) -> AsyncIterator[list[Any]]:
    """The tools for a toolbox, from `tools.json`, `package.module:attribute`, `mcp:COMMAND` or `skills:DIR`.

    A server runs as long as the context is open.
    """
    if source.startswith("mcp:"):
        from rightcall.tools.mcp.client import McpServer

        address = read_address(source, source)
        async with McpServer(address) as server:
            yield require_tools(list(server.entries()), address.label, NO_SERVER_TOOLS)
    elif is_object_name(source) and not source.startswith(SKILLS):
        yield from_module(source)
    else:
        yield list(load_tools(source))


def tools_of(source: str) -> list[Tool]:
    """The definitions of the tools a source offers. Starts and stops a server when it is one."""

    async def list_definitions() -> list[Tool]:
        async with open_source(source) as entries:
            return list(chain.from_iterable(definitions_of(entry) for entry in entries))

    return run_blocking(list_definitions())


def list_server_tools(address: McpAddress) -> tuple[list[Tool], str]:
    """The definitions that an MCP server lists, and its name and version; it is started and stopped for that."""

    from rightcall.tools.mcp.client import McpServer

    async def connect_and_list() -> tuple[list[Tool], str]:
        async with McpServer(address) as server:
            tools = require_tools(list(server.tools), address.label, NO_SERVER_TOOLS)
            return tools, f"{server.name} {server.version}".strip()

    return run_blocking(connect_and_list())


def from_module(source: str) -> list[Any]:
    """The tools of a module's attribute: one tool, several, a toolbox, a world, or an agent of a framework."""
    return object_tools(*object_of_module(source))


def object_of_module(source: str) -> tuple[Any, str]:
    """What a module's attribute is, or makes if it is a class or a function without parameters; and where it is."""
    named = load_object(source, "tools")
    value = object_from_factory(named, source)
    return value, source if value is named else f"{source}()"


def object_tools(value: Any, source: str) -> list[Any]:
    """What a toolbox takes of an object: its tools; an error if there are none, or they cannot be known."""
    entries = _entries_of(value, source)
    if entries and entries[0] is value and not isinstance(value, OWN):
        raise _unknown_tools(value, source)
    hint = "add at least one"
    if not isinstance(value, list | tuple | dict):
        hint = f"{_kind(value)} shows none; name the list of its tools: module:TOOLS"
    return require_tools(entries, source, hint)


def _unknown_tools(value: Any, source: str) -> InputError:
    """Why a callable that is no tool has no tools either: it is more likely an agent."""
    held = "module:TOOLS"
    if inspect.isroutine(value):
        problem = "is a function that is not a tool"
        hint = f"decorate it with @tool, put it into a list of tools, or name the tools of your agent: {held}"
    elif inspect.isclass(value):
        problem = "is a class that is not a tool"
        hint = f"make a {value.__name__} in its module and name that, or name the list of its tools: {held}"
    else:
        problem = f"is a {_kind(value)}, whose tools cannot be known"
        hint = f"name the list of its tools: {f'{source}.tools' if hasattr(value, 'tools') else held}"
    return InputError(source, problem, hint)


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def tool_entries(tools: Iterable[Any], where: str) -> list[Any]:
    """What a toolbox takes of objects: tools, worlds and functions as they are, definitions in any spelling, and the
    tools of frameworks' tools and agents.
    """
    return list(chain.from_iterable(_entries_of(part, f"{where}[{at}]") for at, part in enumerate(tools)))


def _entries_of(value: Any, where: str) -> list[Any]:
    if isinstance(value, OWN):
        return [value]
    if isinstance(value, Toolbox):
        return list(value.tools)
    if isinstance(value, list | tuple):
        return tool_entries(value, where)
    if isinstance(value, dict):
        key, listed = ("", []) if is_setting(value) else _group_of(value)
        return [read_tool(value, where)] if listed is None else tool_entries(listed, f"{where}.{key}")
    of_framework: list[Tool] | None = load("services", "agent_tools")(value)
    if of_framework is not None:
        return of_framework
    if not callable(value):
        raise ConfigError(
            f"{where}: a {type(value).__name__} is not a tool; tools are functions, definitions (rc.Tool) and worlds,"
            " or the name of a file"
        )
    return [value]


def is_setting(value: Any) -> bool:
    """Whether an entry of a list of tools is a setting of its provider."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind.startswith(SETTINGS)


def _group_of(value: Any) -> tuple[str, list[Any] | None]:
    """The key of an object that lists tools, and the list; None for anything else."""
    lists = ((key, value.get(key)) for key in GROUPS if isinstance(value, dict))
    return next(((key, listed) for key, listed in lists if isinstance(listed, list)), ("", None))


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
