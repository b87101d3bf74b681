"""Which agent made a call, how deep it works, and to which agent a call gives work: the one reader of agents' names.

A hand-off gives the conversation away, a delegation comes back. Both are calls, and each framework has its own name for
them: `transfer_to_billing`, `transfer_to_agent {"agent_name": …}`, `task {"subagent_type": …}`, an agent as a tool.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from rightcall.records.call import ToolCall

TRANSFERS = ("transfer_to_", "handoff_to_", "hand_off_to_")
TARGET_ARGUMENTS = ("agent_name", "to_agent", "agent", "target")
"""Arguments that name the agent that takes over, in tools that hand over to any."""
TASK_ARGUMENT = "subagent_type"
"""The argument by which deepagents and the Claude Agent SDK choose a sub-agent."""
NOBODY: frozenset[str] = frozenset()


def path_of(call: ToolCall) -> tuple[str, ...]:
    """Agents from the root to the one that made the call, "" for those without a name; empty when nothing is known."""
    if call.path:
        return tuple(call.path)
    if call.agent:
        return (call.agent,)
    notes = call.notes  # files of older versions
    agent = notes.get("agent")
    depth = notes.get("depth")
    agent = agent if isinstance(agent, str) else ""
    depth = depth if isinstance(depth, int) and 0 <= depth <= 1000 else 0
    return (*[""] * depth, agent) if agent or depth else ()


def agent_of(call: ToolCall) -> str:
    """The agent that made the call; empty when it is not known."""
    if call.agent:
        return call.agent
    path = path_of(call)
    return path[-1] if path else ""


def depth_of(call: ToolCall) -> int:
    """Inside how many agents used as tools the call was made."""
    return max(0, len(path_of(call)) - 1)


def handoff_of(call: ToolCall, team: Collection[str] = NOBODY) -> str:
    """The agent that a call hands the conversation to; empty if it is no hand-off.

    What was observed counts. A tool's name alone (`transfer_to_savings`) means a hand-off only to an agent of `team`.
    """
    noted = call.notes.get("handoff")
    if isinstance(noted, str) and noted:
        return noted
    name = call.name.lower()
    prefix = next((prefix for prefix in TRANSFERS if name.startswith(prefix)), "")
    if not prefix and not noted:
        return ""
    target = _text_argument(call, TARGET_ARGUMENTS) or (call.name[len(prefix) :] if prefix else "")
    member = _member(target, team)
    return member or (target if noted else "")


def delegate_of(call: ToolCall, team: Collection[str] = NOBODY) -> str:
    """The agent that does the work of a call and reports back; empty if the call is no delegation."""
    noted = call.notes.get("delegate")
    if isinstance(noted, str) and noted:
        return noted
    target = _text_argument(call, (TASK_ARGUMENT,))
    if target:
        return _member(target, team) or target
    return "" if handoff_of(call, team) else _member(call.name, team)


def same_name(name: str, other: str) -> bool:
    """Whether two spellings mean one agent: tool names keep no spaces and, in some frameworks, no capitals."""
    return name == other or _fold(name) == _fold(other)


def _member(name: str, team: Collection[str]) -> str:
    if name in team:
        return name
    return next((member for member in sorted(team) if name and same_name(name, member)), "")


def _fold(name: str) -> str:
    return re.sub(r"\W", "_", name).lower()


def _text_argument(call: ToolCall, names: tuple[str, ...]) -> str:
    arguments: Any = call.arguments or {}
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value), "")
