"""A description that says no more than the name."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import PLACEHOLDERS
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.words or tool.description.strip().lower() in PLACEHOLDERS:
        return
    if len(tool.telling_stems) <= 1 and tool.description.isascii():
        more = (
            "no more than" if not tool.telling_stems else f"only '{next(iter(tool.telling_stems))}' more than"
        )
        yield Finding(
            ("description",),
            f"“{excerpt(tool.description)}” says {more} the name",
            "say what exactly it does, its limits, and when to use it",
            severity="info" if tool.telling_stems else None,
        )


RULE = Rule(
    code="TD203",
    name="restates-name",
    severity="warning",
    summary="The description contains only the words of the name (one word more: info).",
    explanation="""`list_records`: “List the records” gives the model nothing the name did not. Nearly three
    quarters of public MCP servers have such a tool; in competition with a described one it is
    rarely chosen.""",
    bad={"description": "Gets the forecast for the given value."},
    good={},
    sources=("SM2",),
    check=check,
)
