"""A reference outside the definition."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|\.{0,2}/|[\w-]+\.(?:json|ya?ml))", re.I)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if "$ref" not in tool.text and "$dynamicRef" not in tool.text:
        return
    for node in tool.nodes:
        for key in ("$ref", "$dynamicRef"):
            reference = node.schema.get(key)
            if isinstance(reference, str) and _OUTSIDE.match(reference):
                yield Finding(
                    (*node.path, key),
                    f"{reference} is outside the definition",
                    "inline the schema, or move it under $defs",
                )


RULE = Rule(
    code="TD805",
    name="external-ref",
    severity="error",
    summary="A `$ref` to a web address or a file.",
    explanation="""Common validators fetch it on the first call: anyone who controls that address learns about the call
    and decides what is valid. MCP forbids following it; RightCall never does.""",
    bad={"input_schema": {"properties": {"city": {"type": None, "$ref": "https://example.com/city.json"}}}},
    good={"input_schema": {"properties": {"city": {"type": "string"}}}},
    sources=("MCP", "measured"),
    check=check,
)
