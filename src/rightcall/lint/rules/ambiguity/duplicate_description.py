"""Two tools with one description."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    seen: dict[str, ToolFeatures] = {}
    for tool in tools.tools:
        key = " ".join(tool.words)
        if not key:
            continue
        first = seen.setdefault(key, tool)
        if first is not tool and first.name != tool.name:
            yield (
                tool,
                Finding(
                    ("description",),
                    f"same description as {first.name}: only the name distinguishes them",
                    "say in each what the other does not do",
                    others=(first.name,),
                ),
            )


RULE = Rule(
    code="TD501",
    name="duplicate-description",
    severity="error",
    summary="Two tools have the same description, apart from case and punctuation.",
    explanation="""A model chooses by description. With the same text for two tools it chooses at random.""",
    bad=[
        {},
        {
            "description": "Returns the daily weather forecast of one city, one entry a day! Use it when the user "
            "asks about coming "
            "days. Fails with not_found for a city it does not know."
        },
    ],
    good=[{}, {}],
    sources=("TSC",),
    check_set=check_set,
)
