"""Optional parameters in the style of another provider."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule

FEWEST = 4


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.targets & {"anthropic-strict"}:
        return
    unions = [node.name for node in tool.parameters if _takes_null(node)]
    if len(unions) >= FEWEST:
        yield Finding(
            INPUT,
            f"{len(unions)} parameters take null, and each counts as a union with Anthropic",
            (
                "make them optional by leaving them out of required; `tools convert --to anthropic-strict` "
                "does it"
            ),
        )


def _takes_null(node: Node) -> bool:
    kind = node.schema.get("type")
    variants = node.schema.get("anyOf")
    return (isinstance(kind, list) and "null" in kind) or (
        isinstance(variants, list)
        and any(isinstance(variant, dict) and variant.get("type") == "null" for variant in variants)
    )


RULE = Rule(
    code="TD712",
    name="nullable-style-clash",
    severity="info",
    summary="For Anthropic strict: several parameters take null to be optional, as OpenAI wants it.",
    explanation="""OpenAI's strict mode has no optional parameters, only ones that take null; Anthropic counts each
    of those against 16 unions a request. Send each provider its own schema.""",
    bad={
        "input_schema": {
            "properties": {
                "days": {"minimum": None, "maximum": None},
                **{
                    f"with_{name}": {
                        "type": ["boolean", "null"],
                        "description": f"Whether {name} belongs into the answer.",
                    }
                    for name in ("wind", "rain", "snow", "fog")
                },
            },
            "required": ["city", "days", "with_wind", "with_rain", "with_snow", "with_fog"],
        }
    },
    good={"input_schema": {"properties": {"days": {"minimum": None, "maximum": None}}}},
    sources=("ANT-lim", "OAI-so"),
    check=check,
    targets=("anthropic-strict",),
)
