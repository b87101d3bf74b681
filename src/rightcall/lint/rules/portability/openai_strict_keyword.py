"""Keywords that OpenAI's strict mode rejects."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if "openai-strict" not in tool.targets:
        return
    facts = provider("openai-strict")
    for node in tool.nodes:
        for key in node.schema:
            if key in facts.forbidden_keywords:
                yield Finding(
                    (*node.path, key), f"strict mode rejects '{key}'", "say it in the text, or make two tools"
                )
            elif key in facts.doubtful_keywords:
                yield Finding(
                    (*node.path, key),
                    f"strict mode is not known to accept '{key}'",
                    "leave it out for OpenAI",
                    severity="warning",
                )


RULE = Rule(
    code="TD702",
    name="openai-strict-keyword",
    severity="error",
    summary="For OpenAI strict: allOf, not, if/then/else, dependentRequired and the like.",
    explanation="""The documented ones make the request fail. Others (oneOf, patternProperties, uniqueItems …) are
    in no list of what is supported and give a warning.""",
    bad={"input_schema": {"properties": {"city": {"not": {"const": ""}}}}},
    good={},
    sources=("OAI-so",),
    check=check,
    targets=("openai-strict",),
)
