"""What a tool returns, and how it fails."""

from __future__ import annotations

import re

from rightcall.core.words import name_tokens, word_set
from rightcall.lint.features.schemas import meta_errors
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Edit, Finding, Findings, tool_rule
from rightcall.schema.effects import EFFECTS
from rightcall.schema.types import json_type

_QUERIES = word_set("query q keyword keywords search term terms text prompt pattern criteria")


@tool_rule("TD902", "error", sources=("MCP", "JSON"))
def invalid_output_schema(tool: ToolFeatures) -> Findings:
    """The output schema violates its meta-schema; for MCP, a root that is not an object gives a warning.

    Clients reject the result, or stop listing the tool.

    Fails: {"output_schema": {"properties": {"entries": {"type": "lst"}}}}
    """
    schema = tool.source.output_schema
    if schema is None or tool.source.spelling == "plain":
        return
    if not isinstance(schema, dict):
        yield Finding(("output_schema",), "the output schema is not an object", 'write {"type": "object", …}')
        return
    for path, message in meta_errors(schema):
        yield Finding(
            ("output_schema", *path),
            f"not valid JSON Schema: {excerpt(message, 120)}",
            "see the dialect that $schema names",
        )
    kind = schema.get("type")
    if kind is not None and isinstance(kind, str) and json_type(kind) != "object" and "mcp" in tool.targets:
        yield Finding(
            ("output_schema",),
            f"the root is of type '{kind}'",
            "clients before MCP 2026-07-28 accept only objects",
            severity="warning",
        )


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


@tool_rule("TD904", "warning", fix="suggested", sources=("ANT-eng",))
def unbounded_output(tool: ToolFeatures) -> Findings:
    """A search or list without limit, page or cursor.

    One broad search returns more than the context can hold; clients cut the answer off wherever it happens to
    be. An info for lists, which are often short by nature.

    Fails: {"name": "search_forecasts"}
    """
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
    asks = any(any(token in _QUERIES for token in name_tokens(name)) for name in tool.parameter_names)
    return asks or tool.name_tokens[-1].endswith("s")
