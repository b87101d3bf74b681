"""The inputs of `rightcall lint`: tools from files, suites, modules and servers."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.core.errors import InputError

if TYPE_CHECKING:
    from rightcall.lint.source.tools import ToolSet
    from rightcall.records.tool import Tool
    from rightcall.run.suite import Suite
    from rightcall.run.suite_document import ToolSources


def read_sources(
    sources: Sequence[str],
    allow_import: bool = False,
    unreadable: Callable[[InputError], None] = lambda error: None,
) -> list[ToolSet]:
    """The tools of files, folders and suites, then those of MCP servers and of `module:attribute`.

    Naming an attribute imports its module: an agent of a framework knows its tools. A file in a folder that cannot
    be read is skipped and passed to `unreadable`.
    """
    from rightcall.files.python_object import is_object_name
    from rightcall.lint.source.read import read_paths
    from rightcall.lint.source.tools import read_skill_set
    from rightcall.tools.definitions.source import SKILLS

    named = list(chain.from_iterable(_sources_of(source, allow_import) for source in sources))
    skills = [source for source in named if source.startswith(SKILLS)]
    live = [source for source in named if source.startswith("mcp:") or is_object_name(source)]
    paths = [source for source in named if source not in live and source not in skills]
    importer = tools_of_module if allow_import else None
    sets = read_paths(paths, import_python=importer, unreadable=unreadable) if paths else []
    sets += [_live_tools(source) for source in live if source not in skills]
    return sets + [read_skill_set(Path(source.removeprefix(SKILLS))) for source in skills]


def read_offer(source: str) -> list[ToolSet]:
    """The tools of one source as they are offered: `module:attribute` may be a tool, a toolbox, a world or an agent."""
    from rightcall.files.python_object import is_object_name
    from rightcall.lint.source.tools import tool_set
    from rightcall.tools.definitions.source import tools_of

    if is_object_name(source) and not source.startswith("mcp:"):
        return [tool_set(tools_of(source), name=source)]
    if not source.startswith("mcp:") and (offered := _suite_offer(Path(source))) is not None:
        return [offered]
    return read_sources([source], allow_import=False)


def _suite_offer(path: Path) -> ToolSet | None:
    """The tools of a suite, of any kind; None for a file that is not a suite. A suite is code: it must be trusted."""
    from rightcall.agents.agent import tools_of
    from rightcall.lint.source.tools import tool_set
    from rightcall.run.suite_plan import plan_suite
    from rightcall.run.trust import is_trusted
    from rightcall.tools.definitions.source import definitions_of, require_tools

    suite = _suite_at(path)
    if suite is None:
        return None
    if not is_trusted(path):
        hint = "name its tools instead: a file, or mcp:COMMAND"
        raise InputError(str(path), "is outside the project and not trusted", hint)
    agent = plan_suite(suite, path.parent).agent
    entries = require_tools(tools_of(agent), str(path), "name them in its tools:")
    return tool_set(list(chain.from_iterable(definitions_of(entry) for entry in entries)), name=str(path))


def _live_tools(source: str) -> ToolSet:
    """The tools of an MCP server, or of an attribute of a module."""
    from rightcall.lint.source.tools import tool_set
    from rightcall.tools.definitions.source import definitions_of, object_of_module, object_tools, tools_of

    if source.startswith("mcp:"):
        name = f"mcp:{_server_name(source)}"
        return tool_set(tools_of(source), name=name, origin=name)
    value, where = object_of_module(source)
    offered = _as_document(value, source)
    if offered is None:
        tools = list(chain.from_iterable(definitions_of(entry) for entry in object_tools(value, where)))
        offered = tool_set(tools, name=source, origin=source)
    places = tool_places(source, [tool.name for tool in offered.tools])
    at = ((tool, *places[tool.name]) for tool in offered.tools)
    return replace(offered, tools=tuple(replace(tool, origin=file, line=line) for tool, file, line in at))


def _as_document(value: Any, source: str) -> ToolSet | None:
    """Plain definitions, read as a file with them; None for anything else."""
    import json

    from rightcall.lint.source.read import read_text

    definitions = value if isinstance(value, list | tuple) else [value]
    if not definitions or not all(isinstance(definition, dict) for definition in definitions):
        return None
    try:
        (offered,) = read_text(json.dumps(value), name=source)
    except (TypeError, ValueError) as error:
        raise InputError(source, f"is not JSON: {error}", "write plain values") from None
    tools = tuple(replace(tool, document=None, fixable=False) for tool in offered.tools)
    return replace(offered, tools=tools) if tools else None


def _sources_of(source: str, allow_import: bool) -> list[str]:
    """The sources to read: those of a suite, or the source itself."""
    path = Path(source)
    named = None if source.startswith(("mcp:", "skills:")) else _sources_of_suite(path)
    if named is None:
        return [source]
    listed = [named.listed] if isinstance(named.listed, str) else []
    served = [named.mcp] if isinstance(named.mcp, str) else []
    parts = [_part_of_suite(path, part, allow_import) for part in (*listed, *served)]
    return [*parts, *(f"skills:{path.parent / folder}" for folder in named.skills)]


def _part_of_suite(path: Path, tools: str, allow_import: bool) -> str:
    """One source that a suite names, relative to the working folder."""
    from rightcall.files.python_object import is_object_name, search_modules_in
    from rightcall.run.trust import is_trusted

    source = str(path)
    if not is_object_name(tools) and not tools.startswith("mcp:"):
        return str(path.parent / tools)
    if not is_trusted(path):
        raise InputError(source, f"is outside the project and not trusted, and its tools are code: '{tools}'")
    if is_object_name(tools):
        if not allow_import:
            raise InputError(source, f"its tools are code: '{tools}'", "pass --import to import the module")
        search_modules_in(path.parent)
    return tools


def _server_name(source: str) -> str:
    """The program or host of a server; options and the rest of a URL may contain secrets."""
    from urllib.parse import urlsplit

    from rightcall.tools.mcp.address import read_address

    address = read_address(source, source)
    if not address.command:
        return urlsplit(address.url).hostname or "server"
    named = takewhile(lambda word: word in ("-m", "-y") or not word.startswith("-"), address.command)
    return " ".join(word for word in named if "=" not in word)[:100]


def _sources_of_suite(path: Path) -> ToolSources | None:
    """The sources that a suite names; None when the path is not a suite or has all its tools inline."""
    from rightcall.core.errors import RightCallError
    from rightcall.run.suite_actions import is_code
    from rightcall.run.suite_document import tool_sources

    suite = _suite_at(path)
    if suite is None:
        return None
    try:
        named = tool_sources(suite.tools)
    except RightCallError:  # not a suite: the linter reads it as a document
        return None
    offered = (suite.agent.skills,) if isinstance(suite.agent.skills, str) else suite.agent.skills or ()
    named = named._replace(skills=(*named.skills, *offered))
    if named.listed is None and named.mcp is None and is_code(suite.agent.model, path.parent):
        named = named._replace(listed=suite.agent.model)  # the agent's own
    return named if isinstance(named.listed, str) or isinstance(named.mcp, str) or named.skills else None


def _suite_at(path: Path) -> Suite | None:
    """The suite in a file; None for anything else, which the linter reads as a document."""
    from rightcall.core.errors import RightCallError
    from rightcall.run.suite import load_suite

    if path.suffix.lower() not in (".yaml", ".yml", ".json") or not path.is_file():
        return None
    try:
        text = path.read_bytes()
        # Most files of tools do not have the words of the keys that every suite has.
        return load_suite(path) if b"dataset" in text and b"agent" in text else None
    except (OSError, RightCallError):
        return None


def tools_of_module(path: Path) -> list[Tool]:
    """Run a module and return its tools, in file order."""
    import runpy
    import sys

    from rightcall.tools.definitions.function import FunctionTool

    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        names = runpy.run_path(str(path), run_name="rightcall_tools")
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or error}") from None
    except SystemExit as error:
        problem = f"the module called sys.exit({'' if error.code is None else repr(error.code)})"
        raise InputError(str(path), problem, "move script code under: if __name__ == '__main__'") from None
    except Exception as error:
        raise InputError(str(path), f"the module failed: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove(folder)
    return [value.tool for value in names.values() if isinstance(value, FunctionTool)]


HOLDERS = ("function", "func", "fn", "coroutine", "_func", "_tool_func", "on_invoke_tool", "tool_function")
"""Fields in which tools of RightCall and of frameworks keep their function."""


def tool_places(source: str, names: Iterable[str]) -> dict[str, tuple[str, int]]:
    """File and line of each tool of `package.module:attribute`, by name.

    A tool whose function cannot be found is in the file of the module, at line 0.
    """
    from rightcall.files.python_object import shown_path

    module = importlib.import_module(source.partition(":")[0])
    functions = dict(chain.from_iterable(_functions(value) for value in _objects(module, source)))
    file = shown_path(Path(module.__file__)) if module.__file__ else source
    places = {}
    for name in names:
        code = getattr(functions.get(name), "__code__", None)
        places[name] = (shown_path(Path(code.co_filename)), code.co_firstlineno) if code else (file, 0)
    return places


def _objects(module: Any, source: str) -> list[Any]:
    """The objects of the module, then those of the named attribute, which take precedence."""
    held: Any = module
    for part in source.partition(":")[2].split("."):
        held = getattr(held, part, None)
    return [*vars(module).values(), *(held if isinstance(held, list | tuple) else [held])]


def _functions(value: Any) -> Iterable[tuple[str, Any]]:
    """The function in a tool, under the name of the tool."""
    function = next((f for name in HOLDERS if inspect.isroutine(f := getattr(value, name, None))), value)
    function = inspect.unwrap(function) if callable(function) else None
    if inspect.isfunction(function):
        own = getattr(getattr(value, "tool", value), "name", None)
        yield (own if isinstance(own, str) else function.__name__), function
