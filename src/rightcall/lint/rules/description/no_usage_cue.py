"""A description that does not say when to use the tool."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.confusability.pairs import LIKELY
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import USAGE_CUE
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    rivals: dict[int, str] = {}
    for pair in tools.pairs:
        if pair.score >= LIKELY:
            rivals.setdefault(id(pair.first), pair.second.name)
            rivals.setdefault(id(pair.second), pair.first.name)
    for tool in tools.tools:
        if len(tool.words) < 5 or len(tool.telling_stems) < 2 or USAGE_CUE.search(tool.lower):
            continue
        rival = rivals.get(id(tool))
        if rival is not None:
            message = f"does not say when to use it rather than {rival}, which is very similar"
            hint = f"“Use for …; for … use {rival}.”"
            yield tool, Finding(("description",), message, hint, severity="warning", others=(rival,))
        else:
            yield (
                tool,
                Finding(("description",), "does not say when to use it", "“Use when …”, “Do not use for …”"),
            )


RULE = Rule(
    code="TD205",
    name="no-usage-cue",
    severity="info",
    summary="Nothing says when to use the tool, or when not.",
    explanation="""Phrases like “use when”, “instead of”, “only for” distinguish similar tools. A warning
    when the set has a very similar tool.""",
    bad={
        "description": (
            "Returns the daily forecast of one city, one entry a day. Fails with not_found for unknown "
            "places."
        )
    },
    good={},
    sources=("ANT-def", "OAI-fc"),
    check_set=check_set,
)
