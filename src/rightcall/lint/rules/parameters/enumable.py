"""A closed list of values that is only in the text."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.features.mentions import INTRODUCTIONS, alternatives_in, word_set
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Edit, Finding, Rule

_NOTHING = word_set("none null nil empty omitted nothing undefined unset")
"""Words for no value: “'json' or omitted” leaves one value, which is no choice."""


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.says_any(INTRODUCTIONS):
        return
    for node in tool.properties:
        if (
            node.schema.get("type") not in ("string", "str")
            or "enum" in node.schema
            or "const" in node.schema
        ):
            continue
        if "pattern" in node.schema or not node.text:
            continue
        values = alternatives_in(node.text)
        default = node.schema.get("default")
        if not tool.parameter_names.isdisjoint(values):
            continue  # “either text or regex” speaks of parameters
        if len([value for value in values if value.lower() not in _NOTHING]) >= 2 and (
            not isinstance(default, str) or default in values
        ):
            yield Finding(
                node.path,
                f"the text of '{node.name}' lists its values: {', '.join(values[:6])}",
                'put them into "enum"',
                edits=(Edit((*node.path, "enum"), values),),
            )


RULE = Rule(
    code="TD304",
    name="enumable",
    severity="warning",
    summary="The text lists the allowed values, but there is no `enum`.",
    explanation="""With an enum a provider can enforce the values, validators catch the rest, and the
    model stops inventing neighbours (“ascending” for “asc”). The fix takes the values from the
    text.""",
    bad={
        "input_schema": {
            "properties": {
                "order": {"type": "string", "description": "Order of entries, one of 'asc' or 'desc'."}
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "order": {
                    "type": "string",
                    "description": "Order of the entries by day.",
                    "enum": ["asc", "desc"],
                }
            }
        }
    },
    sources=("OAI-fc", "GEM"),
    check=check,
    fix="suggested",
)
