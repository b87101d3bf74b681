"""A sentence repeated in many tools."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule

SHORTEST = 40
FEWEST = 3


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    if len(tools.tools) < FEWEST:
        return
    holders: dict[str, list[ToolFeatures]] = {}
    for tool in tools.tools:
        if len(tool.description) >= SHORTEST:
            for sentence in dict.fromkeys(text for text in tool.sentences if len(text) >= SHORTEST):
                holders.setdefault(sentence, []).append(tool)
    for sentence, alike in holders.items():
        if len(alike) >= FEWEST:
            others = tuple(tool.name for tool in alike[1:])
            yield (
                alike[0],
                Finding(
                    ("description",),
                    f"“{excerpt(sentence, 50)}” is repeated in {len(alike)} tools",
                    "say it once, in the system prompt",
                    others=others,
                ),
            )


RULE = Rule(
    code="TD605",
    name="repeated-sentence",
    severity="info",
    summary="A sentence of 40 characters or more is repeated in three or more tools.",
    explanation="""It makes the tools more alike and costs tokens in each of them. What applies to all belongs in the
    system prompt.""",
    bad=[
        {
            "description": (
                "Returns a forecast, use it for coming days. Every answer is rounded to whole numbers "
                "by the server."
            )
        },
        {
            "description": (
                "Lists stations, use it to find masts, or fails. Every answer is rounded to whole "
                "numbers by the server."
            )
        },
        {
            "description": (
                "Explains a colour, use it after warnings. Every answer is rounded to whole numbers by "
                "the server."
            )
        },
    ],
    good=[{}, {}, {}],
    sources=("practice",),
    check_set=check_set,
)
