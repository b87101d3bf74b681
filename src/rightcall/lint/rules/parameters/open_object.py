"""An object that silently accepts unknown fields."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.schema_context import can_be_closed
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_OPEN_ON_PURPOSE = (
    "additionalProperties",
    "patternProperties",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "$ref",
    "if",
    "dependentSchemas",
    "dependencies",
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.nodes:
        if node.schema.get("type") != "object" or not isinstance(node.schema.get("properties"), dict):
            continue
        if node.part in ("allOf", "anyOf", "oneOf", "if", "then", "else", "not") or any(
            key in node.schema for key in _OPEN_ON_PURPOSE
        ):
            continue
        if node.path in tool.sharing:
            continue
        where = f"'{node.name}'" if node.name else "the input"
        edit = Edit((*node.path, "additionalProperties"), False)
        yield Finding(
            node.path,
            f"{where} accepts undeclared arguments",
            'add "additionalProperties": false',
            edits=(edit,) if can_be_closed(node) else (),
            safe=True,
        )


RULE = Rule(
    code="TD309",
    name="open-object",
    severity="info",
    summary="An object does not say `additionalProperties: false`.",
    explanation="""An argument the model made up, or misspelt, passes validation and is dropped. Closing the object
    turns it into an error the model can correct.""",
    bad={"input_schema": {"additionalProperties": None}},
    good={"input_schema": {"additionalProperties": False}},
    sources=("OAI-fc", "OAI-so", "MCP"),
    check=check,
    fix="safe",
)
