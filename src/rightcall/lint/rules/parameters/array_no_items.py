"""An array without an item type."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_REFUSING = frozenset(("gemini", "openai-strict"))


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.nodes:
        if (
            node.schema.get("type") not in ("array", "list")
            or "items" in node.schema
            or "prefixItems" in node.schema
        ):
            continue
        refusing = sorted(tool.targets & _REFUSING)
        message = f"'{node.name or 'a list'}' does not say what it is a list of"
        if refusing:
            message += f"; {', '.join(refusing)} {'rejects' if len(refusing) == 1 else 'reject'} that"
        yield Finding(node.path, message, 'add "items"', severity="error" if refusing else None)


RULE = Rule(
    code="TD307",
    name="array-no-items",
    severity="warning",
    summary="An array has no `items`.",
    explanation="""The model does not know whether to send texts or objects. OpenAI in strict mode and Gemini
    reject such a schema; then it is an error.""",
    bad={
        "input_schema": {
            "properties": {"hours": {"type": "array", "description": "Hours of the day to report on."}}
        }
    },
    good={
        "input_schema": {
            "properties": {
                "hours": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "Hours of the day to report on.",
                }
            }
        }
    },
    sources=("OAI-so", "GEM"),
    check=check,
)
