"""The tools of a suite: from files, modules and servers, its worlds, and its skills."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rightcall.agents.observed.catalog import agent_tools
from rightcall.core.codec import convert, to_plain
from rightcall.core.errors import ConfigError
from rightcall.files.python_object import is_object_name
from rightcall.model.dialects import read_tool
from rightcall.model.tool import Annotations, Tool
from rightcall.recording.canonical import scrub_value
from rightcall.recording.library import Recordings
from rightcall.run.suite import AgentConfig, Suite, tool_sources
from rightcall.run.suite_actions import suite_address
from rightcall.schema.skill_definition import load_skills
from rightcall.tools.definitions.source import from_module, list_server_tools, load_tools
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.worlds.base import make_world

_TOOL_FIELDS = frozenset((*Tool.__struct_fields__, *Annotations.__struct_fields__))


def suite_tools(
    suite: Suite, folder: Path, recordings: Recordings | None
) -> tuple[list[Any], McpAddress | None, str]:
    """The tools of a suite, and the MCP server they come from, with its name and version, if they do."""
    sources = tool_sources(suite.tools)
    others: list[Any] = [make_world(name, state) for name, state in suite.worlds.items()]
    if sources.skills:
        others += _skills([folder / skills for skills in sources.skills], sources.ignore)
    listed = _file_tools(sources.listed, folder)
    if sources.mcp is None:
        return [*listed, *others], None, ""
    address = suite_address(sources.mcp, folder)
    if (
        address.recording
        and not address.replays
        and suite.agent.mode == "loop"
        and suite.agent.execute != "real"
    ):
        raise ConfigError(
            f"tools.mcp.record: {address.record} asks the server, which requires agent.execute: real; "
            "use record: replay to answer from the recording alone"
        )
    served, server = _server_tools(address, recordings)
    return [*served, *listed, *others], address, server


def _file_tools(tools: str | list[dict[str, Any]] | None, folder: Path) -> list[Any]:
    """The tools of a file or a module, or definitions in the suite itself."""
    if isinstance(tools, str) and is_object_name(tools) and not (folder / tools).exists():
        return from_module(tools, agent_tools)
    if isinstance(tools, str):
        return list(load_tools(folder / tools))
    return [read_tool(raw, f"tools[{i}]") for i, raw in enumerate(tools or ())]


def agent_skills(config: AgentConfig, folder: Path) -> list[Tool]:
    """The skills that the suite offers to its model."""
    if config.skills is None:
        return []
    folders = (config.skills,) if isinstance(config.skills, str) else config.skills
    return _skills([folder / name for name in folders])


def _skills(folders: list[Path], ignore: Sequence[str] = ()) -> list[Tool]:
    return load_skills(folders, ignore)


def _server_tools(address: McpAddress, recordings: Recordings | None) -> tuple[list[Tool], str]:
    """The tools that an MCP server lists, and its name; a replay does not start it, and has them recorded."""
    if address.recording:
        from rightcall.tools.mcp.recorded_server import recorded_session, session_tools

        if (session := recorded_session(address)) is not None:
            return session_tools(session, address), session.label
    if recordings is not None and recordings.replays_only:
        recorded = recordings.server_tools()
        return convert(recorded["tools"], list[Tool], f"{recordings.folder}: tools"), recorded["server"]
    tools, server = list_server_tools(address)
    if recordings is not None:
        recordings.tool_list = {
            "server": server,
            "tools": scrub_value(to_plain(tools), recordings.clean, _TOOL_FIELDS),
        }
    return tools, server
