"""A set that exceeds the limits of strict mode."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    anthropic = [tool for tool in tools.tools if "anthropic-strict" in tool.targets]
    for name, count, most in _anthropic_counts(anthropic):
        if count > most:
            yield (
                anthropic[0],
                Finding((), f"{count} {name} in strict tools, Anthropic accepts {most} a request", _HINT),
            )
    for tool in tools.tools:
        if "openai-strict" in tool.targets:
            for name, count, most in _openai_counts(tool):
                if count > most:
                    yield (
                        tool,
                        Finding(
                            ("input_schema",),
                            f"{count:,} {name}, OpenAI accepts {most:,} in strict mode",
                            _HINT,
                        ),
                    )


_HINT = "send some of the tools without strict mode, or fewer at a time"


def _anthropic_counts(tools: list[ToolFeatures]) -> list[tuple[str, int, int]]:
    facts = provider("anthropic-strict")
    optional = sum(not node.required for tool in tools for node in tool.properties)
    unions = sum(_is_union(node) for tool in tools for node in tool.properties)
    return [
        ("tools", len(tools), facts.strict_tools or 0),
        ("optional parameters", optional, facts.optional_parameters or 0),
        ("union parameters", unions, facts.union_parameters or 0),
    ]


def _openai_counts(tool: ToolFeatures) -> list[tuple[str, int, int]]:
    facts = provider("openai-strict")
    enums = [
        value
        for node in tool.nodes
        if isinstance(values := node.schema.get("enum"), list)
        for value in values
    ]
    characters = sum(len(node.name) for node in tool.properties) + sum(len(str(value)) for value in enums)
    return [
        ("properties", len(tool.properties), facts.properties or 0),
        ("enum values", len(enums), facts.enum_values or 0),
        ("characters of names and enums", characters, facts.name_characters or 0),
    ]


def _is_union(node: Node) -> bool:
    return isinstance(node.schema.get("type"), list) or "anyOf" in node.schema or "oneOf" in node.schema


RULE = Rule(
    code="TD710",
    name="strict-limits",
    severity="error",
    summary="More strict tools, optional or union parameters, properties or enum values than a provider compiles.",
    explanation="""Anthropic: 20 strict tools, 24 optional and 16 union parameters over all tools of a request.
    OpenAI: 5,000 properties, 1,000 enum values, 120,000 characters. The numbers are in one dated
    file.""",
    bad={
        "input_schema": {
            "properties": {
                "days": {"minimum": None, "maximum": None},
                "detail": {
                    "type": "object",
                    "description": "What else belongs into the answer.",
                    "additionalProperties": False,
                    "properties": {
                        f"index_{n}": {"type": "boolean", "description": f"Include index {n}."}
                        for n in range(25)
                    },
                },
            }
        }
    },
    good={"input_schema": {"properties": {"days": {"minimum": None, "maximum": None}}}},
    sources=("ANT-lim", "OAI-so"),
    check_set=check_set,
    targets=("anthropic-strict",),
)
