"""Where the linter's tools come from, and what sharpens its judgement: suites, servers, goldens, runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rightcall.lint import ToolSet
    from rightcall.suite.measured import Seen


def read_sources(sources: Sequence[str], allow_import: bool) -> list[ToolSet]:
    """The tools of files, folders, suites and MCP servers. A suite stands for its tools."""
    from rightcall.cli.python_tools import tools_of_module
    from rightcall.lint import read_paths
    from rightcall.lint.source.read import tool_set

    sets: list[ToolSet] = []
    for source in sources:
        if source.startswith("mcp:"):
            from rightcall.tools.source import tools_of

            name = f"mcp:{_server_name(source)}"
            sets.append(tool_set(tools_of(source), name=name, origin=name))
            continue
        path = Path(source)
        named = _tools_of_suite(path)
        if isinstance(named, str) and named.startswith("mcp:"):
            sets += read_sources([named], allow_import)
            continue
        found = path.parent / named if isinstance(named, str) else path
        sets += read_paths((found,), import_python=tools_of_module if allow_import else None)
    return sets


def _server_name(source: str) -> str:
    """The command of a server, or the host of its URL: the rest of a URL may hold secrets."""
    from urllib.parse import urlsplit

    from rightcall.tools.mcp import read_address

    address = read_address(source, source)
    return " ".join(address.command)[:100] if address.command else urlsplit(address.url).hostname or "server"


def seen_in_runs(runs: Sequence[str], store_url: str | None) -> list[Seen]:
    """What stored runs showed about tools."""
    if not runs:
        return []
    from rightcall.store import open_store
    from rightcall.suite.measured import seen_in

    with open_store(store_url, must_exist=True) as store:
        return [seen_in(store, run) for run in runs]


def queries_in(goldens: Path | None) -> list[tuple[str, str]]:
    """Requests with the tool that answers them, from a file of goldens."""
    if goldens is None:
        return []
    from rightcall.datasets import load_goldens
    from rightcall.suite.measured import queries_of

    return queries_of(list(load_goldens(goldens)))


def _tools_of_suite(path: Path) -> str | None:
    """The file of tools that a suite names; None when the path is no suite, or holds its tools itself."""
    if path.suffix.lower() not in (".yaml", ".yml", ".json") or not path.is_file():
        return None
    from rightcall.errors import RightCallError
    from rightcall.suite.suite import load_suite

    try:
        tools = load_suite(path).tools
    except RightCallError:  # some other document: the linter reads it as it is
        return None
    return tools if isinstance(tools, str) else None
