"""A description of a few words."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import PLACEHOLDERS
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

FEWEST_WORDS = 5


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.words or not tool.telling_stems or tool.description.strip().lower() in PLACEHOLDERS:
        return  # missing-description, restates-name and placeholder say it better
    if len(tool.words) < FEWEST_WORDS:
        yield Finding(
            ("description",),
            f"{len(tool.words)} {'word is' if len(tool.words) == 1 else 'words are'} too few to choose by",
            "say what it does, when to use it and when not, what it returns",
            severity=None if tool.parameters else "info",
        )


RULE = Rule(
    code="TD202",
    name="too-short",
    severity="warning",
    summary="The description has fewer than five words.",
    explanation="""Providers advise three or four sentences. A few words leave open what is covered, and the model
    uses the tool for requests it cannot handle. An info for a tool without parameters.""",
    bad={"description": "Shows coming rain."},
    good={},
    sources=("ANT-def", "SM1"),
    check=check,
)
