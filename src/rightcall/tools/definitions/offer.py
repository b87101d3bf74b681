"""Which tools a golden offers to the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from rightcall.core.errors import InputError, suggestion
from rightcall.records.dialects import read_tool
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.records.tool import Tool
from rightcall.tools.attacks.tool_list import poison_tools

ToolSets = Mapping[str, Sequence[str]]
"""Tool names by set name."""

G = TypeVar("G", bound=Golden | ConversationalGolden)


def with_tool_set(golden: G, sets: ToolSets, where: str = "") -> G:
    """The golden with the tools of its tool set, so that other code need not know about sets."""
    name = getattr(golden, "tool_set", None)
    if name is None:
        return golden
    place = where or f"golden '{golden.id}'"
    if golden.tools is not None:
        raise InputError(place, "has both tools and tool_set", "use only one")
    if name not in sets:
        hint = suggestion(name, sets) or f"sets: {', '.join(sets) or 'none; the suite has no tool_sets'}"
        raise InputError(place, f"no such tool set '{name}'", hint)
    return msgspec.structs.replace(golden, tools=tuple(sets[name]), tool_set=None)


def tool_set_problems(sets: ToolSets, tools: Iterable[str]) -> list[str]:
    """Names in sets that no tool has."""
    tool_names = list(tools)
    return [
        f"tool_sets.{name}: no such tool '{tool}'; {suggestion(tool, tool_names) or 'known: ' + ', '.join(tool_names)}"
        for name, members in sets.items()
        for tool in members
        if tool not in tool_names
    ]


def tools_for(golden: AnyGolden, tools: Mapping[str, Tool]) -> Mapping[str, Tool]:
    """All tools of the suite, or those the golden names and the definitions it brings itself.

    An unknown name is ignored here: `rightcall dataset check` reports it.
    """
    if golden.safety is not None and golden.safety.poisons_tools:
        own = chosen_tools(golden, tools)  # one that a rug pull renames is shown under both names
        return {**own, **poison_tools(own, golden.safety, pulled=True)}
    return chosen_tools(golden, tools)


def chosen_tools(golden: AnyGolden, tools: Mapping[str, Tool]) -> Mapping[str, Tool]:
    """The tools that the golden chooses, and all skills and agents unless it chooses among those, too."""
    if golden.tools is None:
        return tools
    offered: dict[str, Tool] = {}
    for item in golden.tools:
        if isinstance(item, str):
            if item in tools:
                offered[item] = tools[item]
        else:
            tool = read_tool(item, f"golden '{golden.id}'")
            offered[tool.name] = tool
    if all(tool.kind == "tool" for tool in offered.values()):
        offered |= {name: tool for name, tool in tools.items() if tool.kind != "tool"}
    return offered
