"""A description that only says what the tool is not for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_NEGATIVE = re.compile(
    r"^(?:do not|don't|never|not (?:for|to|intended)|cannot|can't|this (?:tool )?(?:is not|does not|cannot)|avoid)\b",
    re.I,
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if (
        len(tool.words) >= 3
        and tool.sentences
        and all(_NEGATIVE.search(sentence) for sentence in tool.sentences)
    ):
        yield Finding(("description",), "only says what it is not for", "say first what it does")


RULE = Rule(
    code="TD214",
    name="negative-only",
    severity="info",
    summary="Every sentence says what the tool does not do.",
    explanation="""Limits help only together with a purpose: the model must first know what the tool is for.""",
    bad={"description": "Do not use for past days, which fail. Never use it for results of other planets."},
    good={},
    sources=("SM1",),
    check=check,
)
