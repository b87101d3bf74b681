"""A definition that costs as much as a page of text."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

HEAVY = 600


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if tool.tokens > HEAVY:
        yield Finding(
            (), f"about {tool.tokens:,} tokens in every request", "shorten texts, drop rare options, split it"
        )


RULE = Rule(
    code="TD602",
    name="heavy-tool",
    severity="warning",
    summary="One definition costs more than about 600 tokens.",
    explanation="""Nine of ten public MCP tools are below that. The definition is sent with every request, and its
    length hides what matters. Tokens are estimated offline: characters of the compact JSON divided
    by 4.4.""",
    bad={
        "description": "Returns the daily forecast, or an error. Use it for coming days. "
        + " ".join(f"Region {n} is covered by its own office." for n in range(80))
    },
    good={},
    sources=("measured",),
    check=check,
)
