"""An enum of more values than belong in every request."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

LARGE = 50


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.nodes:
        values = node.schema.get("enum")
        if isinstance(values, list) and len(values) > LARGE:
            yield Finding(
                (*node.path, "enum"),
                f"{len(values)} values in every request",
                "take a code with a pattern, or a search tool",
            )


RULE = Rule(
    code="TD318",
    name="huge-enum",
    severity="info",
    summary="An enum has more than 50 values.",
    explanation="""All of them are sent with every request. A standard code (ISO 3166) with a pattern, or a tool
    that looks the value up, costs less.""",
    bad={
        "input_schema": {
            "properties": {
                "grid": {
                    "type": "string",
                    "enum": [f"cell-{n}" for n in range(60)],
                    "description": "Cell of the map to report on.",
                }
            }
        }
    },
    good={},
    sources=("OAI-so",),
    check=check,
)
