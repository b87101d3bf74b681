"""The tools of an agent for those who play calls without it: nothing runs for real, whatever its setup says."""

from __future__ import annotations

from collections.abc import Iterable

from rightcall.agents.agent import Agent, tools_of
from rightcall.model.tool import Tool
from rightcall.tools.runtime.mocks import runs_for_real
from rightcall.tools.runtime.toolbox import Toolbox


def mock_toolbox(agent: Agent, definitions: Iterable[Tool] = ()) -> Toolbox | None:
    """The agent's mocks and worlds; None without tools. `definitions` are tools that only a server knows of."""
    sources = tools_of(agent)
    own = {tool.name for tool in Toolbox(sources).tools} if sources else set()
    sources += [tool for tool in definitions if tool.name not in own]
    mocks = {name: mock for name, mock in (agent.mocks or {}).items() if not runs_for_real(mock)}
    return Toolbox(sources, mocks=mocks) if sources else None
