"""Two tools that a model will confuse."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.confusability.pairs import LIKELY, WARN, ToolPair
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import SEVERITIES, Finding, Rule, Severity

SAME_TEXT = 0.95
DESTROYS = 0.80
"""From here on two tools that destroy are an error; below, a reader kept delete_chart and delete_image apart."""


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    alike: dict[int, list[ToolPair]] = {}
    for pair in tools.pairs:
        if pair.score < WARN:
            break
        alike.setdefault(id(pair.second), []).append(pair)
    for pairs in alike.values():
        worst = pairs[0]
        more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
        finding = Finding(
            ("description",),
            f"easily confused with {worst.first.name}{more} ({worst.score:.2f}): {worst.why}",
            _hint(worst),
            severity=min((_severity(pair) for pair in pairs), key=SEVERITIES.index),
            others=tuple(pair.first.name for pair in pairs),
        )
        yield worst.second, finding


def _severity(pair: ToolPair) -> Severity:
    # A model does not mistake get for delete: what is dangerous is two verbs of the same effect.
    destroys = pair.first.effect.kind == "destroy" and pair.second.effect.is_destructive
    destroys = destroys or (pair.second.effect.kind == "destroy" and pair.first.effect.is_destructive)
    if not pair.told_apart and (
        (destroys and pair.score >= DESTROYS) or (pair.score >= LIKELY and pair.text >= SAME_TEXT)
    ):
        return "error"
    return "warning" if pair.score >= LIKELY else "info"


def _hint(pair: ToolPair) -> str:
    if pair.first.effect.is_destructive or pair.second.effect.is_destructive:
        return "name what each destroys and what it leaves, in the name and in the first sentence"
    return f"say in each when to use the other: “for … use {pair.first.name}”"


RULE = Rule(
    code="TD502",
    name="confusable-pair",
    severity="warning",
    summary="Two tools have a similarity of 0.70 or more in text, parameters and names.",
    explanation="""The score is 0.5 · similarity of the texts + 0.3 · share of common parameters + 0.2 · similarity of
    the names, lower when the texts distinguish the two. From 0.70 on it is an info, from 0.90 a
    warning, and a warning as soon as stored runs show the confusion; an error with nearly the same
    text, or from 0.80 on when both destroy something, as long as neither text distinguishes them. It
    ranks pairs that models really confuse above others, but it is a hint, not a proof:
    with stored runs the finding includes what was measured.""",
    bad=[
        {
            "name": "get_city_forecast",
            "description": "Returns the daily weather forecast of one city, one entry a day. Use it for coming "
            "days instead of guessing. "
            "Fails with not_found for a city it does not know.",
        },
        {
            "name": "get_town_forecast",
            "description": "Returns the daily weather forecast of one town, one entry a day. Use it for coming "
            "days instead of guessing. "
            "Fails with not_found for a town it does not know.",
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
    sources=("TSC", "SM2"),
    check_set=check_set,
)
