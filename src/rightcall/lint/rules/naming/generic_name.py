"""A name that would fit any tool."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import GENERIC_NAME_TOKENS
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    namespace = set(name_tokens(tool.source.server))
    tokens = [token for token in tool.name_tokens if token not in namespace]
    if tokens and all(token in GENERIC_NAME_TOKENS for token in tokens):
        named = len(tokens) < len(tool.name_tokens)
        yield Finding(
            ("name",),
            f"'{tool.name}' names no more than its server" if named else f"'{tool.name}' would fit any tool",
            "name the thing it acts on: invoice_mark_paid",
            severity="info" if named else None,
        )


RULE = Rule(
    code="TD103",
    name="generic-name",
    severity="warning",
    summary="Every word of the name is generic: `process_data`, `run`, `get_info`.",
    explanation="""The name is the first thing a model compares with the request. When it could be anything, the
    choice depends on the description alone, and in a large set the tool is missed or confused with
    others. An info when the name also contains the name of its server: `get_figma_data`.""",
    bad={"name": "process_data"},
    good={"name": "get_forecast"},
    sources=("OAI-fc", "ANT-eng"),
    check=check,
)
