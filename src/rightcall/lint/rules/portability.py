"""What a provider rejects or does not enforce, and keywords that mean different things to different ones."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

from rightcall.core.groups import reachable
from rightcall.core.words import word_set
from rightcall.lint.features.schemas import Node, walk
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, SetFindings, set_rule, tool_rule
from rightcall.schema.provider_limits import lower_limits, provider, targets_without
from rightcall.schema.subschemas import properties_of, reference_of, required_of
from rightcall.schema.types import with_null


@tool_rule("TD701", "error", only_for="openai-strict", fix="suggested", sources=("OAI-so",))
def openai_strict_shape(tool: ToolFeatures) -> Findings:
    """For OpenAI strict: an object that is open or has optional properties.

    In strict mode every object says `additionalProperties: false` and requires all its properties; an
    optional one takes null instead of being left out. Otherwise the request is rejected. The tool must then
    treat null as “not given”. An object of free keys is left to you.

    Fails: {"input_schema": {"required": ["city"]}}
    """
    for node in tool.nodes:
        if node.schema.get("type") != "object" and not isinstance(node.schema.get("properties"), dict):
            continue
        required = required_of(node.schema)
        missing = [name for name in properties_of(node.schema) if name not in required]
        is_open = node.schema.get("additionalProperties") is not False
        if not missing and not is_open:
            continue
        what = [f"{', '.join(missing)} not required"] if missing else []
        what += ["additionalProperties is not false"] if is_open else []
        yield Finding(
            node.path,
            f"strict mode rejects this object: {'; '.join(what)}",
            "require every property, optional ones with null among their types, and close the object",
            edits=_edits(node, missing, is_open) if properties_of(node.schema) else (),
        )


def _edits(node: Node, missing: list[str], is_open: bool) -> tuple[Edit, ...]:
    edits = [
        Edit((*node.path, "properties", name), with_null(schema))
        for name in missing
        if isinstance(schema := node.schema["properties"][name], dict)
    ]
    if missing:
        edits.append(Edit((*node.path, "required"), list(node.schema["properties"])))
    if is_open:
        edits.append(Edit((*node.path, "additionalProperties"), False))
    return tuple(edits)


@tool_rule("TD702", "error", only_for="openai-strict", sources=("OAI-so",))
def openai_strict_keyword(tool: ToolFeatures) -> Findings:
    """For OpenAI strict: allOf, not, if/then/else, dependentRequired and the like.

    The documented ones make the request fail. Others (oneOf, patternProperties, uniqueItems …) are in no list
    of what is supported and give a warning.

    Fails: {"input_schema": {"properties": {"city": {"not": {"const": ""}}}}}
    """
    return _refusals(tool, "openai-strict")


def _refusals(tool: ToolFeatures, target: str) -> Findings:
    limits = provider(target)
    for node in tool.nodes:
        for key in node.schema:
            if (reason := limits.refusal(key)) is not None:
                edits = _enum_edits(node) if key == "const" else ()
                message = reason.message.format(key)
                yield Finding((*node.path, key), message, reason.hint, severity=reason.severity, edits=edits)


def _enum_edits(node: Node) -> tuple[Edit, ...]:
    return Edit((*node.path, "enum"), [node.schema["const"]]), Edit((*node.path, "const"), REMOVED)


@tool_rule(
    "TD703",
    "error",
    targets=("anthropic",),
    sources=("ANT-root", "OAI-so"),
)
def root_combinator(tool: ToolFeatures) -> Findings:
    """anyOf, oneOf or allOf at the root of the input schema.

    Anthropic answers with an error, and so does OpenAI in strict mode. A warning when neither is a target.

    Fails: {"input_schema": {"anyOf": [{"required": ["city"]}, {"required": ["days"]}]}}
    """
    for key in ("anyOf", "oneOf", "allOf"):
        if key in tool.schema:
            refusing = targets_without(tool.targets, "root combinators")
            who = ", ".join(refusing) if refusing else "some providers"
            yield Finding(
                (*INPUT, key),
                f"{who} reject '{key}' at the root",
                "declare all properties, and a field that says which apply",
                severity="error" if refusing else "warning",
            )


_HINT = "send some of the tools without strict mode, or fewer at a time"


@tool_rule("TD704", "error", only_for="anthropic-strict", fix="suggested", sources=("ANT-sdk",))
def anthropic_strict_keyword(tool: ToolFeatures) -> Findings:
    """For Anthropic strict: bounds, patterns, minItems above 1, and other keywords outside the subset.

    The SDK moves such keywords into the description before sending. Without the SDK the request fails. The
    fix does the same as the SDK.

    Fails: {"input_schema": {"properties": {"city": {"minLength": 2}, "days": {"minimum": null, "maximum": null}}}}
    Passes: {"input_schema": {"properties": {"days": {"minimum": null, "maximum": null}}}}
    """
    limits = provider("anthropic-strict")
    for node in tool.nodes:
        schema = node.schema
        keys = [key for key in schema if limits.refusal(key) or not limits.takes(key, schema[key])]
        if keys:
            text = _description_with(schema, keys)
            edits = (
                Edit((*node.path, "description"), text),
                *(Edit((*node.path, key), REMOVED) for key in keys),
            )
            yield Finding(
                (*node.path, keys[0]),
                f"strict mode rejects {', '.join(keys)}",
                "say it in the description, as the SDK does",
                edits=edits,
            )


def _description_with(schema: dict[str, Any], keys: list[str]) -> str:
    """The description with the keywords appended: `How many days. {minimum: 1, maximum: 14}`."""
    keywords = ", ".join(f"{key}: {json.dumps(schema[key], ensure_ascii=False)}" for key in keys)
    description = schema.get("description")
    before = f"{description.rstrip()} " if isinstance(description, str) and description.strip() else ""
    return f"{before}{{{keywords}}}"


@set_rule(
    "TD710",
    "error",
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
    for name, count in _anthropic_counts(anthropic).items():
        for most in lower_limits(["anthropic-strict"], name, count).values():
            message = f"{count} {name} in strict tools, Anthropic accepts {most} a request"
            yield Finding((), message, _HINT).of(anthropic[0])
    for tool in [tool for tool in tools.tools if "openai-strict" in tool.targets]:
        for name, count in _openai_counts(tool).items():
            for most in lower_limits(["openai-strict"], name, count).values():
                message = f"{count:,} {name}, OpenAI accepts {most:,} in strict mode"
                yield Finding(("input_schema",), message, _HINT).of(tool)


def _anthropic_counts(tools: list[ToolFeatures]) -> dict[str, int]:
    optional = sum(sum(not node.required for node in tool.properties) for tool in tools)
    schemas = [node.schema for node in chain.from_iterable(tool.properties for tool in tools)]
    unions = sum(isinstance(s.get("type"), list) or "anyOf" in s or "oneOf" in s for s in schemas)
    return {"tools": len(tools), "optional parameters": optional, "union parameters": unions}


def _openai_counts(tool: ToolFeatures) -> dict[str, int]:
    lists = [values for node in tool.nodes if isinstance(values := node.schema.get("enum"), list)]
    enums = list(chain.from_iterable(lists))
    characters = sum(len(node.name) for node in tool.properties) + sum(len(str(value)) for value in enums)
    return {
        "properties": len(tool.properties),
        "enum values": len(enums),
        "characters of names and enums": characters,
    }


@tool_rule("TD705", "warning", only_for="gemini", fix="suggested", sources=("GEM",))
def gemini_schema_field(tool: ToolFeatures) -> Findings:
    """For Gemini: a keyword that its `Schema` type does not have.

    `parameters` takes Gemini's own Schema, a part of OpenAPI; unknown fields are rejected or dropped.
    `parameters_json_schema` takes JSON Schema.

    Fails: {"input_schema": {"properties": {"kind": {
      "type": "string", "const": "daily", "description": "Rhythm of the entries."
    }}}}
    Passes: {"input_schema": {"properties": {"kind": {
      "type": "string", "enum": ["daily"], "description": "Rhythm of the entries."
    }}}}
    """
    takes_json_schema = ("parametersJsonSchema",), ("parameters_json_schema",)
    if tool.source.document_path(INPUT)[-1:] not in takes_json_schema:
        yield from _refusals(tool, "gemini")


@tool_rule("TD706", "error", only_for="gemini", sources=("GEM",))
def gemini_param_name(tool: ToolFeatures) -> Findings:
    """For Gemini: a property name outside `[A-Za-z_][A-Za-z0-9_]{0,63}`.

    Hyphens and dots in parameter names are rejected, as are names of more than 64 characters.

    Fails: {"input_schema": {"properties": {"wind.scale": {
      "type": "string", "enum": ["knots"], "description": "Scale of the wind."
    }}}}
    Passes: {"input_schema": {"properties": {"wind_scale": {
      "type": "string", "enum": ["knots"], "description": "Scale of the wind."
    }}}}
    """
    allowed = re.compile(provider("gemini").parameter_name)
    for node in tool.properties:
        if not allowed.match(node.name) and node.name.isascii():
            better = re.sub(r"\W+", "_", node.name).strip("_")[:64] or "value"
            yield Finding(
                node.path,
                f"Gemini rejects the parameter name '{node.name}'",
                f"letters, digits and _ only: {better}",
            )


_DEFINED = word_set("""
    date-time time date duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri
    iri-reference uuid uri-template json-pointer relative-json-pointer regex int32 int64 float double byte binary
    password enum
    """)
"""What JSON Schema 2020-12, OpenAPI and Gemini define."""


@tool_rule("TD709", "warning", fix="safe", sources=("OAI-so", "ANT-sdk"))
def unsupported_format(tool: ToolFeatures) -> Findings:
    """A `format` that no standard defines, or that the strict mode of a target rejects.

    Validators ignore unknown formats; strict modes reject them. The fix moves the format into the
    description.

    Fails: {"input_schema": {"properties": {"city": {"format": "place-name"}}}}
    """
    for node in tool.nodes:
        named = node.schema.get("format")
        if not isinstance(named, str):
            continue
        refused = not all(provider(target).takes("format", named) for target in tool.targets)
        if named in _DEFINED and not refused:
            continue
        text = f"{node.text.rstrip()} Format: {named}.".strip()
        edits = (Edit((*node.path, "description"), text), Edit((*node.path, "format"), REMOVED))
        who = "strict mode rejects the format" if refused else "no standard defines the format"
        yield Finding(
            (*node.path, "format"),
            f"{who} '{named}'",
            "say the form in the description, or give a pattern",
            edits=edits,
            safe=True,
        )


@tool_rule("TD708", "warning", sources=("ANT-sdk",))
def recursive(tool: ToolFeatures) -> Findings:
    """A `$ref` leads back to a schema that contains it.

    Anthropic rejects recursion in strict mode; elsewhere it is allowed, but models lose count of the levels.

    Fails: {"input_schema": {
      "properties": {"area": {"$ref": "#/$defs/Area"}},
      "$defs": {"Area": {
        "type": "object",
        "description": "A region and the regions in it.",
        "properties": {"inside": {"$ref": "#/$defs/Area"}},
        "additionalProperties": false
      }}
    }}
    """
    leads: dict[str, set[str]] = {}
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if isinstance(reference, str) and reference not in leads:
            target = tool.resolve(reference)
            inside = walk(target, ()) if isinstance(target, dict) else ()
            leads[reference] = {inner for part in inside if (inner := reference_of(part.schema)) is not None}
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if isinstance(reference, str) and reference in reachable(
            leads[reference], lambda here: leads.get(here, ())
        ):
            refusing = targets_without(tool.targets, "recursion")
            who = (
                f"{', '.join(refusing)} {'rejects' if len(refusing) == 1 else 'reject'} that"
                if refusing
                else "some providers reject that, and models nest endlessly"
            )
            yield Finding(
                (*node.path, "$ref"),
                f"{reference} contains itself; {who}",
                "limit the depth: write the levels out",
                severity="error" if refusing else None,
            )
            return
