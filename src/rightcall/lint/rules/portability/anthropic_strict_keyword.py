"""Keywords that Anthropic's strict mode does not enforce."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import REMOVED, Edit, Finding
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.strict import description_with, strict_violations

_NEEDED_BY_OTHERS = word_set(
    "patternProperties prefixItems minContains definitions $id $anchor $dynamicAnchor"
)
"""Keywords without which others refuse more, or references lead nowhere."""


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if "anthropic-strict" not in tool.targets:
        return
    for node in tool.nodes:
        keys = strict_violations(node.schema)
        if keys:
            text = description_with(node.schema, keys)
            edits = (
                Edit((*node.path, "description"), text),
                *(Edit((*node.path, key), REMOVED) for key in keys),
            )
            yield Finding(
                (*node.path, keys[0]),
                f"strict mode rejects {', '.join(keys)}",
                "say it in the description, as the SDK does",
                edits=edits,
                safe=node.path not in tool.counted and _NEEDED_BY_OTHERS.isdisjoint(keys),
            )


RULE = Rule(
    code="TD704",
    name="anthropic-strict-keyword",
    severity="error",
    summary="For Anthropic strict: bounds, patterns, minItems above 1, and other keywords outside the subset.",
    explanation="""The SDK moves such keywords into the description before sending. Without the SDK the request
    fails. The fix does the same as the SDK.""",
    bad={
        "input_schema": {"properties": {"city": {"minLength": 2}, "days": {"minimum": None, "maximum": None}}}
    },
    good={"input_schema": {"properties": {"days": {"minimum": None, "maximum": None}}}},
    sources=("ANT-sdk",),
    check=check,
    fix="safe",
    targets=("anthropic-strict",),
)
