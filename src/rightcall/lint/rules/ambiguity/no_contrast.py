"""Confusable tools that do not mention each other."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.confusability.pairs import LIKELY
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    reported: set[int] = set()
    for pair in tools.pairs:
        if pair.score < LIKELY:
            break
        if pair.told_apart or id(pair.second) in reported:
            continue
        reported.add(id(pair.second))
        yield (
            pair.second,
            Finding(
                ("description",),
                f"neither it nor {pair.first.name} says when to use the other",
                f"add “for … use {pair.first.name}”, and the same the other way round",
                others=(pair.first.name,),
            ),
        )


RULE = Rule(
    code="TD505",
    name="no-contrast",
    severity="warning",
    summary="A pair that scores 0.90 or more, and neither text mentions the other or says “instead of”.",
    explanation="""One sentence in each (“for past days use get_history”) is the cheapest cure for confusion.""",
    bad=[
        {
            "name": "get_city_forecast",
            "description": (
                "Returns the daily weather forecast of one city, one entry a day. Use it for coming "
                "days. Fails with not_found."
            ),
        },
        {
            "name": "get_town_forecast",
            "description": (
                "Returns the daily weather forecast of one town, one entry a day. Use it for coming "
                "days. Fails with not_found."
            ),
            "input_schema": {
                "properties": {
                    "latitude": None,
                    "longitude": None,
                    "limit": None,
                    "city": {
                        "type": "string",
                        "description": "Town and country in English, such as Hue, Vietnam.",
                    },
                    "days": {"type": "integer", "description": "How many days ahead, counted from tomorrow."},
                },
                "required": ["city", "days"],
            },
        },
    ],
    good=[{}, {}],
    sources=("ANT-def",),
    check_set=check_set,
    beside=("TD502",),
)
