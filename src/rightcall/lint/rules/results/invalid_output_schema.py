"""An output schema that is not JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.schemas import meta_errors
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.types import json_type


def check(tool: ToolFeatures) -> Iterator[Finding]:
    schema = tool.source.output_schema
    if schema is None or tool.source.spelling == "plain":
        return
    if not isinstance(schema, dict):
        yield Finding(("output_schema",), "the output schema is not an object", 'write {"type": "object", …}')
        return
    for path, message in meta_errors(schema):
        yield Finding(
            ("output_schema", *path),
            f"not valid JSON Schema: {excerpt(message, 120)}",
            "see the dialect that $schema names",
        )
    kind = schema.get("type")
    if kind is not None and isinstance(kind, str) and json_type(kind) != "object" and "mcp" in tool.targets:
        yield Finding(
            ("output_schema",),
            f"the root is of type '{kind}'",
            "clients before MCP 2026-07-28 accept only objects",
            severity="warning",
        )


RULE = Rule(
    code="TD902",
    name="invalid-output-schema",
    severity="error",
    summary="The output schema violates its meta-schema; for MCP, a root that is not an object gives a warning.",
    explanation="""Clients reject the result, or stop listing the tool.""",
    bad={"output_schema": {"properties": {"entries": {"type": "lst"}}}},
    good={},
    sources=("MCP", "JSON"),
    check=check,
)
