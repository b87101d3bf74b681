"""Unbounded output."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.effects import EFFECTS
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule

_BOUND = re.compile(
    r"limit|page|per_?page|cursor|offset|max|count|top|first|last|size|num|number|fields|response_?format|head|tail"
    r"|take|skip"
    r"|^n$|^k$|quantity|amount|results",
    re.IGNORECASE,
)
_BOUNDED_TEXT = re.compile(
    r"\b(?:top|first|up to|at most|maximum|max|limited to|paginat|single|latest|most recent|page)\b"
)
_LIMIT = {
    "type": "integer",
    "minimum": 1,
    "maximum": 50,
    "description": "Maximum number of entries to return, at most 50.",
}


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if tool.effect.verb not in ("list", "search", "query") or any(
        _BOUND.search(node.name) for node in tool.properties if node.depth <= 2
    ):
        return
    if not tool.parameters and tool.effect.verb != "list":
        return  # root-not-object says it better
    if _BOUNDED_TEXT.search(tool.lower) or tool.effect.is_write:
        return
    edits = (
        (Edit((*INPUT, "properties", "limit"), _LIMIT),)
        if isinstance(tool.schema.get("properties"), dict)
        else ()
    )
    yield Finding(
        INPUT,
        f"'{tool.effect.verb}' has no limit: the answer may fill the context",
        "add a limit with a maximum, or pages",
        severity=None if tool.effect.verb == "search" and _returns_many(tool) else "info",
        edits=edits,
    )


def _returns_many(tool: ToolFeatures) -> bool:
    """Does it look for whatever matches a query, or for several things? search_composer looks for one."""
    if any(EFFECTS.get(token) in ("create", "update", "destroy") for token in tool.name_tokens):
        return False
    asks = any(token in _QUERIES for name in tool.parameter_names for token in name_tokens(name))
    return asks or tool.name_tokens[-1].endswith("s")


_QUERIES = word_set("query q keyword keywords search term terms text prompt pattern criteria")

RULE = Rule(
    code="TD904",
    name="unbounded-output",
    severity="warning",
    summary="A search or list without limit, page or cursor.",
    explanation="""One broad search returns more than the context can hold; clients cut the answer off wherever it
    happens to be. An info for lists, which are often short by nature.""",
    bad={"name": "search_forecasts"},
    good={},
    sources=("ANT-eng",),
    check=check,
    fix="suggested",
)
