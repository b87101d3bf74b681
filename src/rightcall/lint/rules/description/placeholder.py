"""A placeholder instead of a description."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import PLACEHOLDERS
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_UNWRITTEN = re.compile(
    r"^(?:TODO|TBD|FIXME|XXX)\b(?!\s+(?:items?|lists?|tasks?))|\b(?:TODO|FIXME):|\bTBD[.)]?$|(?i:lorem ipsum)"
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    noted = tool.says_any(_MARKS)
    for path, text in tool.prose:
        if path[-1] == "description" and (
            text.strip().lower().rstrip(".") in _WHOLE or (noted and _UNWRITTEN.search(text))
        ):
            yield Finding(path, f"“{excerpt(text, 40)}” is a placeholder", "write the description")


_MARKS = ("todo", "tbd", "fixme", "xxx", "lorem ipsum")
_WHOLE = PLACEHOLDERS | {""}

RULE = Rule(
    code="TD207",
    name="placeholder",
    severity="error",
    summary="A description is TODO, TBD, N/A, “…” or the like.",
    explanation="""The model reads it as the description. A note to the author was not meant
    to be sent.""",
    bad={"input_schema": {"properties": {"city": {"description": "TODO: describe"}}}},
    good={},
    sources=("practice",),
    check=check,
)
