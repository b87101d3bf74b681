"""A choice at the root of the schema."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for key in ("anyOf", "oneOf", "allOf"):
        if key in tool.schema:
            refusing = sorted(target for target in tool.targets if not provider(target).root_combinators)
            who = ", ".join(refusing) if refusing else "some providers"
            yield Finding(
                (*INPUT, key),
                f"{who} reject '{key}' at the root",
                "declare all properties, and a field that says which apply",
                severity="error" if refusing else "warning",
            )


RULE = Rule(
    code="TD703",
    name="root-combinator",
    severity="error",
    summary="anyOf, oneOf or allOf at the root of the input schema.",
    explanation="""Anthropic answers with an error, and so does OpenAI in strict mode. A warning when neither is a
    target.""",
    bad={"input_schema": {"anyOf": [{"required": ["city"]}, {"required": ["days"]}]}},
    good={},
    sources=("ANT-root", "OAI-so"),
    check=check,
    targets=("anthropic",),
)
