"""One sentence for a tool that needs more."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if len(tool.words) < 5 or len(tool.telling_stems) < 2 or len(tool.sentences) > 1:
        return
    if len(tool.parameters) >= 2 or tool.effect.is_write:
        why = (
            f"for {len(tool.parameters)} parameters"
            if len(tool.parameters) >= 2
            else "for a tool that changes something"
        )
        yield Finding(
            ("description",), f"one sentence {why}", "add when to use it, its limits, and what it returns"
        )


RULE = Rule(
    code="TD204",
    name="under-specified",
    severity="info",
    summary="A single sentence describes a tool with several parameters or with an effect.",
    explanation="""Three or four sentences (what, when, limits, result) are the advice of providers for all but the
    simplest tools.""",
    bad={"description": "Returns an error or the daily forecast, use it for coming days only"},
    good={},
    sources=("ANT-def",),
    check=check,
)
