"""A lint rule that finds descriptions nobody finished."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if "TODO" in (tool.description or ""):
        yield Finding(("description",), "the description contains TODO", "finish the description")


RULE = Rule(
    code="ORB001",
    name="unfinished-description",
    severity="warning",
    summary="A description that contains TODO.",
    explanation="A model reads the note as part of the instructions.",
    bad={"description": "Get the weather. TODO: say which units."},
    good={"description": "Get the weather of a city, in degrees Celsius."},
    sources=(),
    check=check,
)
