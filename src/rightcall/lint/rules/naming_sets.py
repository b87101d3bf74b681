"""Names of tools that are offered together."""

from __future__ import annotations

import re

from rightcall.core.groups import group_by
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Finding, SetFindings, set_rule

_VERSION = re.compile(
    r"[_.-]?(?:v\d+|(?<=[_.-])(?:new|old|legacy|deprecated|beta|next|latest|\d))$|(?<=[a-z])V\d+$"
)


@set_rule("TD108", "warning", sources=("TSC",))
def version_twin(tools: SetFeatures) -> SetFindings:
    """Two versions of one tool are offered: `search` and `search_v2`.

    Nothing in the request tells the model which version is meant, so it calls either. Offer one.

    Fails: [{"name": "get_forecast"}, {"name": "get_forecast_v2"}]
    Passes: [{"name": "get_forecast"}, {"name": "list_stations"}]
    """
    by_stem = group_by(tools.tools, lambda tool: _VERSION.sub("", tool.name).rstrip("_.-").lower())
    for stem, twins in by_stem.items():
        marked = [tool for tool in twins if _VERSION.search(tool.name)]
        if not stem or len({tool.name for tool in twins}) < 2 or not marked:
            continue
        for tool in marked:
            others = tuple(sorted({twin.name for twin in twins} - {tool.name}))
            yield Finding(
                ("name",),
                f"'{tool.name}' is offered together with {', '.join(others)}",
                "offer one version",
                others=others,
            ).of(tool)


@set_rule("TD109", "error", sources=("MCP", "SNYK"))
def name_collision(tools: SetFeatures) -> SetFindings:
    """Two names are equal apart from case, `_`, `-` and `.`.

    Providers reject a request with duplicate names, and a model cannot distinguish `getUser` and `get_user`.
    Across servers it is a warning: clients usually put a prefix before each name.

    Fails: [{"name": "get_forecast"}, {"name": "Get_Forecast"}]
    Passes: [{"name": "get_forecast"}, {"name": "list_stations"}]
    """
    seen: dict[str, ToolFeatures] = {}
    for tool in tools.tools:
        key = re.sub(r"[_.\-]", "", tool.name.casefold())
        first = seen.setdefault(key, tool)
        if first is tool or not key:
            continue
        across = first.source.server != tool.source.server
        where = f" of {first.source.server}" if across and first.source.server else ""
        same, apart = f"the same as '{first.name}'", ", apart from case and separators"
        if first.name == tool.name:
            same, apart = "the name of another tool", ""
        yield Finding(
            ("name",),
            f"'{tool.name}' is {same}{where}{apart}",
            "rename one, or put the server's name before it",
            severity="warning" if across else "error",
            others=(first.name,),
        ).of(tool)
