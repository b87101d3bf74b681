"""What Anthropic's strict mode rejects or does not enforce."""

from __future__ import annotations

from rightcall.core.words import word_set
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, SetFindings, set_rule, tool_rule
from rightcall.schema.provider_limits import provider
from rightcall.schema.strict import description_with, strict_violations
from rightcall.schema.subschemas import reference_of

_NEEDED_BY_OTHERS = word_set(
    "patternProperties prefixItems minContains definitions $id $anchor $dynamicAnchor"
)
"""Keywords without which others refuse more, or references lead nowhere."""

_HINT = "send some of the tools without strict mode, or fewer at a time"
_CONDITIONS = ("if", "dependentRequired", "dependentSchemas", "not")


@tool_rule("TD704", "error", only_for="anthropic-strict", fix="safe", sources=("ANT-sdk",))
def anthropic_strict_keyword(tool: ToolFeatures) -> Findings:
    """For Anthropic strict: bounds, patterns, minItems above 1, and other keywords outside the subset.

    The SDK moves such keywords into the description before sending. Without the SDK the request fails. The
    fix does the same as the SDK.

    Fails: {"input_schema": {"properties": {"city": {"minLength": 2}, "days": {"minimum": null, "maximum": null}}}}
    Passes: {"input_schema": {"properties": {"days": {"minimum": null, "maximum": null}}}}
    """
    for node in tool.nodes:
        keys = strict_violations(node.schema)
        if keys:
            text = description_with(node.schema, keys)
            edits = (
                Edit((*node.path, "description"), text),
                *(Edit((*node.path, key), REMOVED) for key in keys),
            )
            yield Finding(
                (*node.path, keys[0]),
                f"strict mode rejects {', '.join(keys)}",
                "say it in the description, as the SDK does",
                edits=edits,
                safe=node.path not in tool.counted and _NEEDED_BY_OTHERS.isdisjoint(keys),
            )


@set_rule(
    "TD710",
    "error",
    needs=("anthropic-strict", "openai-strict"),
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
    targets=("anthropic-strict",),
    sources=("ANT-lim", "OAI-so"),
)
def strict_limits(tools: SetFeatures) -> SetFindings:
    """More strict tools, optional or union parameters, properties or enum values than a provider compiles.

    Anthropic: 20 strict tools, 24 optional and 16 union parameters over all tools of a request. OpenAI: 5,000
    properties, 1,000 enum values, 120,000 characters. The numbers are in one dated file.

    Passes: {"input_schema": {"properties": {"days": {"minimum": null, "maximum": null}}}}
    """
    anthropic = [tool for tool in tools.tools if "anthropic-strict" in tool.targets]
    for name, count, most in _anthropic_counts(anthropic):
        if count > most:
            message = f"{count} {name} in strict tools, Anthropic accepts {most} a request"
            yield Finding((), message, _HINT).of(anthropic[0])
    for tool in [tool for tool in tools.tools if "openai-strict" in tool.targets]:
        for name, count, most in _openai_counts(tool):
            if count > most:
                message = f"{count:,} {name}, OpenAI accepts {most:,} in strict mode"
                yield Finding(("input_schema",), message, _HINT).of(tool)


def _anthropic_counts(tools: list[ToolFeatures]) -> list[tuple[str, int, int]]:
    facts = provider("anthropic-strict")
    optional = sum(not node.required for tool in tools for node in tool.properties)
    schemas = [node.schema for tool in tools for node in tool.properties]
    unions = sum(isinstance(s.get("type"), list) or "anyOf" in s or "oneOf" in s for s in schemas)
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


@tool_rule(
    "TD713", "info", needs=(*_CONDITIONS, "$ref"), only_for="anthropic", sources=("ANT-root", "ANT-sdk")
)
def anthropic_unenforced(tool: ToolFeatures) -> Findings:
    """For Anthropic without strict: if/then/else, dependencies, `not` and `$ref` reach the model as text
    only.

    Outside strict mode the schema is text in the prompt. A condition is followed as often as any other
    sentence, and what stands behind a reference is read last. What must hold is checked in the tool.

    Fails: {"input_schema": {"if": {"required": ["days"]}, "then": {"required": ["city"]}}}
    """
    for node in tool.nodes:
        for key in _CONDITIONS:
            if key in node.schema:
                shown = "if/then/else" if key == "if" else key
                yield Finding(
                    (*node.path, key),
                    f"Anthropic accepts {shown} but does not enforce it, and its strict mode rejects it",
                    "say the condition in the description and check it in the tool, or offer two tools",
                )
    references = ((node, reference_of(node.schema)) for node in tool.nodes)
    # One that leads nowhere is an error of another rule.
    local = (
        node for node, reference in references if reference and isinstance(tool.resolve(reference), dict)
    )
    if (reference := next(local, None)) is not None:
        yield Finding(
            (*reference.path, "$ref"),
            "Anthropic passes $ref on as written: the model has to look the definition up",
            "write the definition out where it is used",
        )
