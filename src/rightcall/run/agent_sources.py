"""Who determines what an agent does: the suite alone, code that can be watched, or something that cannot be seen.

An input is owned when the suite states it and RightCall sends it: system prompt, tools, model, settings, mocks, worlds.
Where every input is owned, equal inputs mean equal behaviour, and hashes decide what a change affects. Code in the
project is watched: the files that it imports and opens and the variables that it reads are compared as well. Anything
else is unknown, and has to be run.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from rightcall.agents.agent import Agent, is_address
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.agents.remote.exec_agent import command_of
from rightcall.core.errors import ConfigError
from rightcall.files.file_digests import canonical_digest, file_digests
from rightcall.files.project_files import ProjectFiles
from rightcall.files.python_object import is_object_name
from rightcall.files.python_sources import files_named_by_sources, program_files, source_closure, source_facts
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.run.suite import AgentConfig, Suite
from rightcall.run.suite_actions import is_code, is_code_metric, metric_names, mock_functions
from rightcall.run.suite_document import tool_sources
from rightcall.tools.worlds.base import World

Ownership = Literal["owned", "watched", "unknown"]
ANSWER_FILES = ("scripted",)
"""Providers whose answers are in a file."""


class AgentSources(msgspec.Struct, frozen=True, dict=True):
    """The code of an agent and of its tools.

    `agent_entries` and `tool_entries` are the Python files where it begins, `files` are others that belong to it.
    `unknown` says why equal files would not mean equal behaviour.
    `search` are folders in which its modules are found, `left_out` globs of files that are not inputs. `folder` is the
    working folder that it chose when it was imported. What is `remote` has no files here, those of a `program`, or of
    code outside of the project, cannot be watched. With `has_list` the suite lists what cannot be watched.
    """

    project: ProjectFiles
    agent_entries: tuple[Path, ...] = ()
    tool_entries: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    metric_entries: tuple[Path, ...] = ()
    search: tuple[Path, ...] = ()
    left_out: tuple[str, ...] = ()
    unknown: str = ""
    folder: Path | None = None
    remote: bool = False
    program: bool = False
    has_list: bool = False

    @property
    def entries(self) -> tuple[Path, ...]:
        return (*self.agent_entries, *self.tool_entries)

    def in_folder(self, folder: Path | None) -> AgentSources:
        """The same sources, with the working folder that their code chose."""
        return replace(self, folder=folder)

    @property
    def ownership(self) -> Ownership:
        """Whether equal inputs mean equal behaviour: by the suite alone, with watched files, or not at all."""
        if self.unknown:
            return "unknown"
        return "watched" if self.entries or self.program else "owned"

    @cached_property
    def closure(self) -> dict[str, Path]:
        """The Python files that the code imports from the project, and the files that belong to it, by name."""
        python = source_closure(self.entries, self.project, self.search) if self.entries else {}
        others = {name: path for path in self.files if (name := self.project.name(path)) is not None}
        return {name: path for name, path in sorted({**python, **others}.items()) if self.counts(name)}

    @cached_property
    def metric_closure(self) -> dict[str, Path]:
        """The Python files of metrics that are code."""
        return source_closure(self.metric_entries, self.project, self.search)

    def metric_files(self) -> dict[str, str]:
        """Hashes of the files of metrics: their sources, and what those name that the agent's sources do not share."""
        if not self.metric_entries:
            return {}
        own = [path for name, path in self.metric_closure.items() if name not in self.closure]
        named = {name for name in files_named_by_sources(own, self.project, self.search) if self.counts(name)}
        texts = {name: self.project.hash(name) for name in sorted({*self.metric_closure, *named})}
        digests = file_digests(texts, self.project, self.metric_closure.values())
        return {name: canonical_digest(digest) for name, digest in digests.items()}

    @property
    def sources(self) -> list[Path]:
        """The Python files among all of them."""
        return [path for path in self.closure.values() if path.suffix == ".py" or path in self.entries]

    @property
    def imported_modules(self) -> set[str]:
        """The first names of the modules that the sources import absolutely, those of the project included."""
        facts = (source_facts(path) for path in self.sources)
        modules = chain.from_iterable(fact.modules for fact in facts)
        return {name.partition(".")[0] for level, name, _ in modules if not level}

    def names_of_program(self, command: Sequence[str], folder: str) -> set[str]:
        """Files that a command names."""
        names = {self.project.name(path) for path in program_files(command, Path(folder))}
        return {name for name in names if name is not None and self.counts(name)}

    def counts(self, name: str) -> bool:
        """Whether a file is an input: `agent.code` may leave some out."""
        return not any(fnmatchcase(name, glob) or name.startswith(f"{glob}/") for glob in self.left_out)

    def files_in_sources(self) -> set[str]:
        """Files that the sources name, whether they exist or not."""
        names = files_named_by_sources(self.sources, self.project, self.search)
        return {name for name in names if self.counts(name) and name not in self.closure}


def suite_sources(suite: Suite, folder: Path, agent: Agent, model: str | None = None) -> AgentSources:
    """The sources of a suite whose agent is loaded."""
    name = model or suite.agent.model
    project = ProjectFiles.of(folder)
    own = AgentSources(project, search=_search(folder))
    if is_address(name):
        own = _sources_of_address(name, own, folder)
    elif is_code(name, folder):
        own = _of_code(own, _module_file(name), agent.model)
    elif name.startswith("local:") and any((base / name[6:]).exists() for base in (folder, Path())):
        own = replace(own, unknown="the weights of a local model are not compared")
    own = replace(own, files=(*own.files, *_answer_files(suite, name, folder, agent.models)))
    entries = [*_tool_entries(suite, folder, agent, own), *_mock_entries(suite, own)]
    entries += filter(None, [_module_file(value, own.search) for value in suite.agent.value_names])
    if entries:
        own = replace(own, tool_entries=(*own.tool_entries, *entries))
    own = _with_server(own, agent)
    metrics = [_module_file(metric, own.search) for metric in metric_names(suite) if is_code_metric(metric)]
    own = replace(own, metric_entries=tuple(path for path in metrics if path is not None))
    return _with_list(own, suite.agent, folder)


def function_sources(agent: Agent, folder: Path | None = None) -> AgentSources:
    """The sources of an agent that a program was given as an object."""
    model = agent.model
    file = None if isinstance(model, str) else object_file(model)
    own = AgentSources(ProjectFiles.of(folder or (file.parent if file else Path())), search=_search(Path()))
    if isinstance(model, str):
        return _sources_of_address(model, own, Path()) if is_address(model) else own
    own = _of_code(own, None, model)
    files = map(object_file, agent.with_.values())
    values = [file for file in files if file is not None and own.project.name(file) is not None]
    return replace(own, agent_entries=(*own.agent_entries, *values))


def _search(folder: Path) -> tuple[Path, ...]:
    places = [folder, Path(), *map(Path, sys.path)]
    return tuple(dict.fromkeys(place.absolute() for place in places))


def _of_code(own: AgentSources, module: Path | None, model: Any) -> AgentSources:
    files = [path for path in (module, object_file(model)) if path is not None]
    inside = tuple(dict.fromkeys(path for path in files if own.project.name(path) is not None))
    if inside:
        return replace(own, agent_entries=inside)
    where = f"{files[0]} is not in {own.project.root}" if files else "its source cannot be found"
    return replace(own, program=True, unknown=f"the agent's code cannot be compared: {where}")


def _sources_of_address(name: str, own: AgentSources, folder: Path) -> AgentSources:
    prefix, _, rest = name.partition(":")
    if prefix != "exec":
        return replace(own, unknown="the agent is a service: what it runs cannot be seen", remote=True)
    try:
        command = command_of(rest)
    except ConfigError:
        return own  # the plan reports it
    return _of_program(own, command, folder, "the agent")


def _of_program(own: AgentSources, command: list[str], folder: Path, what: str) -> AgentSources:
    """A program in another process: what it reads cannot be seen, but changes of the files that it names are."""
    files = [path for path in program_files(command, folder) if own.project.name(path) is not None]
    python = tuple(path for path in files if path.suffix == ".py")
    why = f"{what} is a program, whose files cannot be seen: {Path(command[0]).name}"
    return replace(
        own,
        agent_entries=(*own.agent_entries, *python),
        files=(*own.files, *files),
        unknown=own.unknown or why,
        program=True,
    )


def _tool_entries(suite: Suite, folder: Path, agent: Agent, own: AgentSources) -> Iterator[Path]:
    """Files of tools that run for real, and of worlds."""
    if agent.mode != "loop":
        return
    tools = None
    with suppress(ConfigError):  # the plan reports the problem
        tools = tool_sources(suite.tools).listed
    if (
        agent.runs_tools
        and isinstance(tools, str)
        and is_object_name(tools)
        and not (folder / tools).exists()
    ):
        yield from filter(None, [_module_file(tools)])
    for tool in agent.tools:
        function = tool if isinstance(tool, World) else getattr(tool, "function", None)
        real = isinstance(tool, World) or agent.runs_tools
        file = object_file(function) if function is not None and real else None
        if file is not None and own.project.name(file) is not None:
            yield file


def _mock_entries(suite: Suite, own: AgentSources) -> Iterator[Path]:
    for mock in suite.mocks.values():
        for function in mock_functions(mock):
            yield from filter(None, [_module_file(function, own.search)])


def _with_server(own: AgentSources, agent: Agent) -> AgentSources:
    """With the MCP server whose tools run for real, if there is one."""
    server = agent.mcp
    if server is None or server.replays or agent.mode != "loop" or agent.execute != "real":
        return own
    if not server.command:
        return replace(
            own, unknown=own.unknown or "its tools run on an MCP server that cannot be seen", remote=True
        )
    folder = Path(server.cwd) if server.cwd else Path()
    return _of_program(own, list(server.command), folder, "the MCP server")


def _with_list(own: AgentSources, config: AgentConfig, folder: Path) -> AgentSources:
    """With what `agent.code` adds, and without what it leaves out (`!glob`)."""
    globs = config.code
    listed = chain.from_iterable(folder.glob(glob) for glob in globs if not glob.startswith("!"))
    added = [path for path in listed if path.is_file()]
    left_out = tuple(
        _project_glob(own.project, folder, glob.removeprefix("!")) for glob in globs if glob.startswith("!")
    )
    own = replace(own, files=(*own.files, *sorted(added)), left_out=left_out, has_list=bool(added))
    return replace(own, unknown="" if added and not own.remote else own.unknown)


def _project_glob(project: ProjectFiles, folder: Path, glob: str) -> str:
    """A glob relative to the suite's folder as one of names in the project."""
    base = os.path.relpath(folder.absolute(), project.root).replace(os.sep, "/")
    return glob if base == "." else os.path.normpath(f"{base}/{glob}").replace(os.sep, "/")


def _answer_files(
    suite: Suite, model: str, folder: Path, named: Mapping[str, ModelEndpoint]
) -> Iterator[Path]:
    """Files with the answers of the model, and of the model that plays users; either may be the name of one."""
    user = suite.user.model if suite.user else None
    for name in (model, *((user,) if user else ())):
        name = named[name].model if name in named else name  # noqa: PLW2901
        prefix, _, file = name.partition(":")
        if prefix in ANSWER_FILES and file:
            yield from [path for path in (folder / file, Path(file)) if path.is_file()][:1]


def _module_file(name: str, search: Iterable[Path] = ()) -> Path | None:
    """The file of the module in `module:attribute`; if it is not imported yet, the first one in `search`."""
    dotted = name.partition("(")[0].partition(":")[0]
    if file := getattr(sys.modules.get(dotted), "__file__", None):
        return Path(file)
    stems = [place.joinpath(*dotted.split(".")) for place in search]
    files = chain.from_iterable((stem.with_suffix(".py"), stem / "__init__.py") for stem in stems)
    return next(filter(Path.is_file, files), None)


def object_file(thing: Any) -> Path | None:
    """The file in which a function, a class or the class of an object is defined; None without one."""
    if isinstance(thing, ObservedAgent):
        return object_file(thing.target)
    with suppress(ValueError, TypeError):  # decorators that wrap each other
        thing = inspect.unwrap(thing) if callable(thing) else thing
    for candidate in (getattr(thing, "func", None), getattr(thing, "__func__", None), thing, type(thing)):
        try:
            file = inspect.getsourcefile(candidate) if candidate is not None else None
        except TypeError:
            continue
        if file and Path(file).is_file():
            return Path(file)
    return None
