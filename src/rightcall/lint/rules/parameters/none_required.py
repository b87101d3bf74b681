"""A tool without required parameters."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule

_ALSO = ("minProperties", "anyOf", "oneOf", "allOf", "if", "dependentRequired")


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if (
        tool.required
        or not tool.parameters
        or any(key in tool.schema for key in _ALSO)
        or tool.schema.get("required")
    ):
        return
    # A reader or lister with only options is right to require nothing: what gives it away is a parameter
    # that says which thing is meant.
    for node in tool.parameters:
        identifies = node.name.lower().endswith(("_id", "id")) and len(tool.parameters) == 1
        if identifies and "default" not in node.schema and not _lists(tool):
            yield Finding(
                INPUT, f"nothing is required, not even '{node.name}'", f'add "required": ["{node.name}"]'
            )
            return
    if tool.effect.is_write and not any("default" in node.schema for node in tool.parameters):
        yield Finding(
            INPUT,
            "nothing is required of a tool that changes something",
            'list what it needs in "required"',
            severity="info",
        )


def _lists(tool: ToolFeatures) -> bool:
    """`list_sections`, `get_sections_list`: without the id it gives all of them."""
    return tool.effect.verb in ("list", "search") or "list" in tool.name_tokens


RULE = Rule(
    code="TD312",
    name="none-required",
    severity="warning",
    summary="Parameters without which the call makes no sense, and none of them is required.",
    explanation="""The model may call `get_order` without an order. Tools that only take options, such as filters
    of a list, are not reported: this warns about tools whose only parameter is an id, and gives an info
    for tools with an effect.""",
    bad={
        "input_schema": {
            "properties": {
                "city": None,
                "days": None,
                "station_id": {
                    "type": "string",
                    "description": "Identifier painted on the mast, five letters.",
                },
            },
            "required": None,
        }
    },
    good={},
    sources=("OAI-fc", "measured"),
    check=check,
)
