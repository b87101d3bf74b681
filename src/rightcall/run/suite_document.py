"""The document of a suite as it is written: variables of the environment, where its tools are, and what runs them."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from rightcall.core.errors import ConfigError, InputError
from rightcall.providers.endpoint import VARIABLE
from rightcall.tools.definitions.source import SKILLS
from rightcall.tools.runtime.mocks import EVERY


def with_dispatcher(value: dict[str, Any]) -> dict[str, Any]:
    """A suite whose `agent.execute` names a function: it is the mock of every tool that has none."""
    agent = value.get("agent")
    mocks = value.get("mocks") or {}
    if not isinstance(agent, dict):
        return value
    execute = agent.get("execute")
    if not isinstance(execute, str) or ":" not in execute or not isinstance(mocks, dict):
        return value
    others = {key: item for key, item in agent.items() if key != "execute"}
    return {**value, "agent": others, "mocks": {EVERY: execute, **mocks}}


def with_variables(value: Any, where: str) -> Any:
    """The value with `${NAME}` of every string replaced from the environment; headers are when they are sent."""
    if isinstance(value, str):
        for name in VARIABLE.findall(value):
            if name not in os.environ:
                raise InputError(where, f"the environment variable {name} is not set", f"export {name}=…")
        return VARIABLE.sub(lambda match: os.environ[match[1]], value)
    if isinstance(value, list):
        return [with_variables(item, f"{where}[{place}]") for place, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            key: item if key == "headers" else with_variables(item, f"{where}: {key}")
            for key, item in value.items()
        }
    return value


class ToolSources(NamedTuple):
    """The places that a suite's `tools` name. `listed` is a file, `module:attribute` or definitions; `mcp` a server."""

    listed: str | list[dict[str, Any]] | None = None
    mcp: Any = None
    skills: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


TOOL_KEYS = ("file", "mcp", "skills", "ignore")


def tool_sources(tools: Any) -> ToolSources:
    """The sources of a suite's `tools` in any of its forms; raises `ConfigError` for an object of other keys."""
    if isinstance(tools, str) and tools.startswith("mcp:"):
        return ToolSources(mcp=tools)
    if isinstance(tools, str) and tools.startswith(SKILLS):
        return ToolSources(skills=(tools.removeprefix(SKILLS),))
    if not isinstance(tools, dict):
        return ToolSources(tools)
    if not tools or not tools.keys() <= set(TOOL_KEYS):
        raise ConfigError(
            "tools: an object here must be {mcp: {command: […]}}, {mcp: {url: …}}, {file: NAME} or {skills: [DIR, …]}"
        )
    listed = tools.get("file")
    mcp = tools.get("mcp")
    if listed is not None and not isinstance(listed, str):
        raise ConfigError("tools.file must be the name of a file, or module:attribute")
    folders = {key: _texts(tools.get(key), f"tools.{key}") for key in ("skills", "ignore")}
    return ToolSources(listed, mcp, **folders)


def _texts(value: Any, where: str) -> tuple[str, ...]:
    texts = (
        [value]
        if isinstance(value, str)
        else value
        if isinstance(value, list | tuple)
        else []
        if value is None
        else [0]
    )
    if not all(isinstance(text, str) and text for text in texts):
        raise ConfigError(f"{where} must be a folder, or a list of folders")
    return tuple(texts)
