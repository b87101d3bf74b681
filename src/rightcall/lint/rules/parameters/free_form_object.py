"""An object with unknown fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_SHAPE = ("properties", "patternProperties", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")

_EXAMPLE = re.compile(r"\{\s*[\"'“]?[$\w]+[\"'”]?\s*:")

_FREE_BY_NATURE = word_set(
    """
    headers metadata labels tags attributes env environment params cookies extra annotations schema json_schema row rows
    record records
    """
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.nodes:
        if node.parent is None or node.schema.get("type") not in ("object", "dict"):
            continue
        if any(key in node.schema for key in _SHAPE):
            continue
        extra = node.schema.get("additionalProperties", True)
        if extra is True or extra == {}:
            name = node.name or "an object"
            shown = "examples" in node.schema or _EXAMPLE.search(node.text)
            yield Finding(
                node.path,
                f"'{name}' is an object without known fields",
                "declare them, or say with additionalProperties what the values are",
                severity="info" if shown or _label(node) in _FREE_BY_NATURE else None,
            )


def _label(node: Node) -> str:
    """Its name, or for the items of a list that of the list."""
    items = not node.name and node.path[-1] == "items" and node.parent is not None
    return (node.parent.name if items and node.parent is not None else node.name).lower()


RULE = Rule(
    code="TD308",
    name="free-form-object",
    severity="warning",
    summary="An object has no properties and allows anything.",
    explanation="""The model must invent the keys. `filters: object` gets `{"name": …}` today and
    `{"filter_by_name": …}` tomorrow. An object that maps free keys to one kind of value says so
    with `additionalProperties`. An info for headers, labels, rows of a table
    and the like, and when the text shows an example.""",
    bad={
        "input_schema": {
            "properties": {"filters": {"type": "object", "description": "Conditions the entries must meet."}}
        }
    },
    good={},
    sources=("OAI-so",),
    check=check,
)
