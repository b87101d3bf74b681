"""A tool without an output schema."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    asked = "mcp" in tool.targets or tool.source.spelling == "openai-responses"
    if asked and tool.source.output_schema is None:
        yield Finding(
            ("output_schema",),
            "has no output schema",
            "declare what comes back: clients check it, models plan with it",
        )


RULE = Rule(
    code="TD901",
    name="no-output-schema",
    severity="info",
    summary="An MCP or Responses tool without an output schema.",
    explanation="""With it a client can check the answer, and a model knows which fields it may use in the next
    call.""",
    bad={"output_schema": None},
    good={},
    sources=("MCP",),
    check=check,
    targets=("mcp",),
)
