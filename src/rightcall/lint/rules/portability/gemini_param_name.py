"""A parameter name that Gemini rejects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if "gemini" not in tool.targets:
        return
    allowed = re.compile(provider("gemini").parameter_name or "")
    for node in tool.properties:
        if not allowed.match(node.name) and node.name.isascii():
            better = re.sub(r"\W+", "_", node.name).strip("_")[:64] or "value"
            yield Finding(
                node.path,
                f"Gemini rejects the parameter name '{node.name}'",
                f"letters, digits and _ only: {better}",
            )


RULE = Rule(
    code="TD706",
    name="gemini-param-name",
    severity="error",
    summary="For Gemini: a property name outside `[A-Za-z_][A-Za-z0-9_]{0,63}`.",
    explanation="""Hyphens and dots in parameter names are rejected, as are names of more than 64 characters.""",
    bad={
        "input_schema": {
            "properties": {
                "wind.scale": {"type": "string", "enum": ["knots"], "description": "Scale of the wind."}
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "wind_scale": {"type": "string", "enum": ["knots"], "description": "Scale of the wind."}
            }
        }
    },
    sources=("GEM",),
    check=check,
    targets=("gemini",),
)
