"""A parameter with many variants."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        variants = next((v for k in ("anyOf", "oneOf") if isinstance(v := node.schema.get(k), list)), None)
        types = [
            variant.get("type", "reference" if "$ref" in variant else "") if isinstance(variant, dict) else ""
            for variant in variants or ()
        ]
        if not variants and isinstance(node.schema.get("type"), list):
            types = list(node.schema["type"])
        real = [name for name in types if name != "null"]
        mixed = "object" in real and any(name in ("string", "number", "integer", "boolean") for name in real)
        if len(real) >= 3 or mixed:
            yield Finding(
                node.path,
                f"'{node.name}' may be {len(real)} different things",
                "accept one kind, or add a field that says which",
            )


RULE = Rule(
    code="TD317",
    name="wide-union",
    severity="info",
    summary="A parameter has three or more variants, or mixes objects with plain values.",
    explanation="""Each variant is another decision for the model, and Anthropic counts union parameters against a
    limit in strict mode.""",
    bad={
        "input_schema": {
            "properties": {
                "place": {
                    "anyOf": [
                        {"type": "string", "description": "A name."},
                        {"type": "integer", "description": "A number on the map."},
                        {"type": "boolean", "description": "True for home."},
                    ],
                    "description": "Where the forecast is for.",
                }
            }
        }
    },
    good={},
    sources=("ANT-lim",),
    check=check,
)
