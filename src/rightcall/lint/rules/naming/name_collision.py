"""Two tools with one name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    seen: dict[str, ToolFeatures] = {}
    for tool in tools.tools:
        key = re.sub(r"[_.\-]", "", tool.name.casefold())
        first = seen.setdefault(key, tool)
        if first is tool or not key:
            continue
        across = first.source.server != tool.source.server
        where = f" of {first.source.server}" if across and first.source.server else ""
        same = "the name of another tool" if first.name == tool.name else f"the same as '{first.name}'"
        yield (
            tool,
            Finding(
                ("name",),
                f"'{tool.name}' is {same}{where}, apart from case and separators"
                if first.name != tool.name
                else f"'{tool.name}' is {same}{where}",
                "rename one, or put the server's name before it",
                severity="warning" if across else "error",
                others=(first.name,),
            ),
        )


RULE = Rule(
    code="TD109",
    name="name-collision",
    severity="error",
    summary="Two names are equal apart from case, `_`, `-` and `.`.",
    explanation="""Providers reject a request with duplicate names, and a model cannot distinguish `getUser` and
    `get_user`. Across servers it is a warning: clients usually put a prefix before each name.""",
    bad=[{"name": "get_forecast"}, {"name": "Get_Forecast"}],
    good=[{"name": "get_forecast"}, {"name": "list_stations"}],
    sources=("MCP", "SNYK"),
    check_set=check_set,
)
