"""A tool with an effect that does not say how it fails."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import FAILURE_WORDING
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if (
        tool.effect.is_write
        and len(tool.words) >= 5
        and len(tool.telling_stems) >= 2
        and not FAILURE_WORDING.search(tool.lower)
    ):
        yield Finding(
            ("description",), "does not say how it fails", "“Fails with not_found if …”, and what to do then"
        )


RULE = Rule(
    code="TD903",
    name="errors-undocumented",
    severity="info",
    summary="A tool that changes something does not document failures.",
    explanation="""A model that knows the failures corrects its call; one that does not repeats it, or tells the
    user that it worked.""",
    bad={
        "name": "update_alarm",
        "description": (
            "Changes when the morning report is sent. Use it when the user wants another hour. Returns "
            "the old hour."
        ),
        "annotations": {"readOnlyHint": False, "destructiveHint": False},
    },
    good={},
    sources=("CISCO", "SM1"),
    check=check,
)
