"""A tool offered together with another version of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule

_VERSION = re.compile(
    r"[_.-]?(?:v\d+|(?<=[_.-])(?:new|old|legacy|deprecated|beta|next|latest|\d))$|(?<=[a-z])V\d+$"
)


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    by_stem: dict[str, list[ToolFeatures]] = {}
    for tool in tools.tools:
        by_stem.setdefault(_VERSION.sub("", tool.name).rstrip("_.-").lower(), []).append(tool)
    for stem, twins in by_stem.items():
        marked = [tool for tool in twins if _VERSION.search(tool.name)]
        if not stem or len({tool.name for tool in twins}) < 2 or not marked:
            continue
        for tool in marked:
            others = tuple(sorted({twin.name for twin in twins} - {tool.name}))
            yield (
                tool,
                Finding(
                    ("name",),
                    f"'{tool.name}' is offered together with {', '.join(others)}",
                    "offer one version",
                    others=others,
                ),
            )


RULE = Rule(
    code="TD108",
    name="version-twin",
    severity="warning",
    summary="Two versions of one tool are offered: `search` and `search_v2`.",
    explanation="""Nothing in the request tells the model which version is meant, so it calls either. Offer one.""",
    bad=[{"name": "get_forecast"}, {"name": "get_forecast_v2"}],
    good=[{"name": "get_forecast"}, {"name": "list_stations"}],
    sources=("TSC",),
    check_set=check_set,
)
