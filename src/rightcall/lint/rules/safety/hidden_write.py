"""A tool that is called get and writes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_WRITES = re.compile(
    r"\b(?:also|automatically|additionally|and then|then) (?:creates|updates|deletes|removes|marks|sends|overwrites"
    r"|resets|saves|archives)\b"
    r"|\band (?:marks|deletes|removes|overwrites|archives|resets) (?:it|them|the|all|each|every)\b"
)
_READING = word_set("get list read fetch find search lookup query retrieve show view check describe")


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if tool.effect.verb not in _READING:
        return
    match = _WRITES.search(tool.lower)
    if match:
        yield Finding(
            ("description",),
            f"called '{tool.effect.verb}', but it {match.group()}",
            "split it, or put the effect into the name and the first sentence",
        )


RULE = Rule(
    code="TD406",
    name="hidden-write",
    severity="warning",
    summary="A tool named for reading also changes something.",
    explanation="""Agents call readers freely: to look around, to check, in parallel, again after an error. An
    effect hidden in one of them happens every time.""",
    bad={
        "description": (
            "Returns the unread warnings, or an error, and marks them as read. Use it when the user "
            "asks for news."
        )
    },
    good={},
    sources=("CISCO",),
    check=check,
)
