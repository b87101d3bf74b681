"""A property without a type."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_TYPING = word_set(
    """
    type enum const anyOf oneOf allOf $ref not if properties items prefixItems patternProperties $dynamicRef
    """
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        if _TYPING.isdisjoint(node.schema):
            yield Finding(
                node.path,
                f"'{node.name}' has no type",
                "say which: string, number, integer, boolean, object, array",
            )


RULE = Rule(
    code="TD303",
    name="untyped-parameter",
    severity="warning",
    summary="A property has neither a type nor an enum, a variant or a reference.",
    explanation="""Anything is valid, so the model sends text where a list was meant, and the mistake is
    noticed only when the tool runs.""",
    bad={"input_schema": {"properties": {"city": {"type": None}}}},
    good={},
    sources=("CISCO", "JSON"),
    check=check,
)
