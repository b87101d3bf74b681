"""Where the linter's tools come from, and what sharpens its judgement: suites, servers, goldens, runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from rightcall.cli.output import tell

if TYPE_CHECKING:
    from rightcall.analysis import Seen
    from rightcall.errors import InputError
    from rightcall.lint import ToolSet


def read_sources(sources: Sequence[str], allow_import: bool) -> list[ToolSet]:
    """The tools of files, folders and suites, then those of MCP servers. A suite stands for its tools."""
    from rightcall.cli.python_tools import tools_of_module
    from rightcall.lint import read_paths
    from rightcall.lint.source import tool_set

    named = [_named_by(source) for source in sources]
    paths = [source for source in named if not source.startswith("mcp:")]
    unreadable: list[InputError] = []
    try:
        sets = (
            read_paths(
                paths,
                import_python=tools_of_module if allow_import else None,
                unreadable=unreadable.append,
            )
            if paths
            else []
        )
    finally:
        _warn(unreadable)
    for source in named:
        if source.startswith("mcp:"):
            from rightcall.tools.definitions import tools_of

            name = f"mcp:{_server_name(source)}"
            sets.append(tool_set(tools_of(source), name=name, origin=name))
    return sets


def _warn(unreadable: Sequence[InputError]) -> None:
    for error in unreadable:
        tell(f"warning: {error!s}", err=True)
    if unreadable:
        files = "1 file" if len(unreadable) == 1 else f"{len(unreadable)} files"
        tell(f"warning: {files} could not be read and may hold tools that were not checked", err=True)


def _named_by(source: str) -> str:
    """What a source stands for: the tools of a suite, or itself."""
    if source.startswith("mcp:"):
        return source
    path = Path(source)
    tools = _tools_of_suite(path)
    if tools is None:
        return source
    return tools if tools.startswith("mcp:") else str(path.parent / tools)


def _server_name(source: str) -> str:
    """The program of a server, or the host of its URL: options and the rest of a URL may hold secrets."""
    from urllib.parse import urlsplit

    from rightcall.tools.mcp import read_address

    address = read_address(source, source)
    if not address.command:
        return urlsplit(address.url).hostname or "server"
    named = takewhile(lambda word: word in ("-m", "-y") or not word.startswith("-"), address.command)
    return " ".join(word for word in named if "=" not in word)[:100]


def seen_in_runs(runs: Sequence[str], store_url: str | None) -> list[Seen]:
    """What stored runs showed about tools."""
    if not runs:
        return []
    from rightcall.analysis import seen_in
    from rightcall.store import open_store

    with open_store(store_url, must_exist=True) as store:
        return [seen_in(store, run) for run in runs]


def queries_in(goldens: Path | None) -> list[tuple[str, str]]:
    """Requests with the tool that answers them, from a file of goldens."""
    if goldens is None:
        return []
    from rightcall.analysis import queries_of
    from rightcall.datasets import load_goldens

    return queries_of(list(load_goldens(goldens)))


def _tools_of_suite(path: Path) -> str | None:
    """The file of tools that a suite names; None when the path is no suite, or holds its tools itself."""
    if path.suffix.lower() not in (".yaml", ".yml", ".json") or not path.is_file():
        return None
    from rightcall.errors import RightCallError
    from rightcall.suite import load_suite

    try:
        tools = load_suite(path).tools
    except RightCallError:  # some other document: the linter reads it as it is
        return None
    return tools if isinstance(tools, str) else None
