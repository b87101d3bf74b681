"""A set that uses too much context."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    most = tools.limits["tokens"]
    if tools.tokens > most:
        heaviest = sorted(tools.tools, key=lambda tool: -tool.tokens)[:3]
        names = ", ".join(f"{tool.name} {tool.tokens:,}" for tool in heaviest)
        yield (
            tools.tools[0],
            Finding(
                (),
                f"about {tools.tokens:,} tokens in every request, more than {most:,}",
                f"load tools by topic; the heaviest: {names}",
            ),
        )


RULE = Rule(
    code="TD603",
    name="heavy-set",
    severity="warning",
    summary="All definitions together cost more than about 10,000 tokens (`max-tokens`).",
    explanation="""They are paid for in every request and crowd out the conversation. Public servers reach 25,000.""",
    bad=[{}, {}, {}],
    good=[{}],
    sources=("measured",),
    check_set=check_set,
    settings={"max_tokens": 300},
)
