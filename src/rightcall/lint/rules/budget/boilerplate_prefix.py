"""Boilerplate at the beginning of a description."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_PREFIX = re.compile(
    r"^\s*(?:(?:this|the) (?:tool|function|method|api|endpoint|operation)(?: \w+)? (?:(?:allows?|enables?"
    r"|lets?) (?:you |users? |the user )?(?:to )?"
    r"|is (?:used|designed) to |can be used to |will |helps? (?:you )?(?:to )?|(?=[a-z]+s\b))"
    r"|(?:allows?|enables?|lets?) (?:you|users?|the user) (?:to )?)",
    re.IGNORECASE,
)
_NOT_VERBS = frozenset(("is", "was", "has", "does", "belongs"))


def check(tool: ToolFeatures) -> Iterator[Finding]:
    match = _PREFIX.match(tool.description)
    if not match:
        return
    rest = tool.description[match.end() :]
    first = re.match(r"[a-z]+", rest)
    if not first or first.group() in _NOT_VERBS:
        return
    better = rest[0].upper() + rest[1:]
    yield Finding(
        ("description",),
        f"begins with “{match.group().strip()}”",
        "start with what it does",
        edits=(Edit(("description",), better),),
        safe=True,
    )


RULE = Rule(
    code="TD604",
    name="boilerplate-prefix",
    severity="info",
    summary="The description begins with “This tool …” or “Allows you to …”.",
    explanation="""Every tool is a tool. The words cost tokens and push the verb away from the place where it is
    read first.""",
    bad={
        "description": "This tool returns the daily forecast of one city. Use it when the user asks about coming "
        "days. Fails with "
        "not_found."
    },
    good={},
    sources=("practice",),
    check=check,
    fix="safe",
)
