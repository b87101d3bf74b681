"""A tool without a description."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.description.strip():
        yield Finding(
            ("description",),
            "the tool has no description",
            "say what it does, when to use it, what it returns",
        )


RULE = Rule(
    code="TD201",
    name="missing-description",
    severity="error",
    summary="The tool has no description.",
    explanation="""The description is by far the most important thing a model has to choose by. Without one it
    guesses from the name; Bedrock refuses an empty text.""",
    bad={"description": ""},
    good={},
    sources=("ANT-def", "BED"),
    check=check,
)
