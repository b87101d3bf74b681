"""A schema whose root is not an object."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.types import json_type


def check(tool: ToolFeatures) -> Iterator[Finding]:
    schema = tool.source.input_schema
    if schema is None:
        if tool.source.spelling in ("anthropic", "mcp", "bedrock"):
            yield Finding(INPUT, "the tool has no input schema", 'write {"type": "object", "properties": {}}')
        return
    if not isinstance(schema, dict):
        yield Finding(
            INPUT, "the input schema is not an object", 'write {"type": "object", "properties": {…}}'
        )
        return
    kind = schema.get("type")
    if kind == "object" or (isinstance(kind, str) and json_type(kind) == "object"):
        return
    if kind is None and isinstance(schema.get("properties"), dict):
        edit = Edit((*INPUT, "type"), "object")
        yield Finding(
            INPUT, 'the input schema has no "type"', 'add "type": "object"', edits=(edit,), safe=True
        )
    elif kind is None and not set(schema) - {
        "$schema",
        "$id",
        "title",
        "description",
        "additionalProperties",
    }:
        yield Finding(
            INPUT, "the input schema is empty: a model sees no parameters", "declare them as properties"
        )
    else:
        problem = f"the root is of type {kind!r}" if kind is not None else 'the input schema has no "type"'
        yield Finding(INPUT, problem, 'arguments are always an object: "type": "object" with properties')


RULE = Rule(
    code="TD002",
    name="root-not-object",
    severity="error",
    summary='The root of the input schema is not `"type": "object"`.',
    explanation="""Arguments of a call are a JSON object, and every provider requires the root to say so. A schema
    that was generated wrongly and contains only `$schema` shows the model a tool without parameters:
    it then calls it with nothing, or with names it made up.""",
    bad={"input_schema": {"type": None}},
    good={"input_schema": {"type": "object"}},
    sources=("ANT-sdk", "BED", "MCP", "measured"),
    check=check,
    fix="safe",
)
