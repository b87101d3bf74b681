"""Which tools a golden offers to the agent."""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.model.dialects import read_tool
from rightcall.model.golden import AnyGolden
from rightcall.model.tool import Tool


def offered_tools(golden: AnyGolden, tools: Mapping[str, Tool]) -> Mapping[str, Tool]:
    """All tools of the suite, or those the golden names and the definitions it brings itself.

    A name that is not there is left out: `rightcall dataset check` reports it.
    """
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
    return offered
