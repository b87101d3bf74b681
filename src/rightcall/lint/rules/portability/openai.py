"""What OpenAI's strict mode rejects, and a root that several providers reject."""

from __future__ import annotations

from rightcall.lint.features.nodes import Node
from rightcall.lint.features.schema_context import can_be_closed
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Edit, Finding, Findings, tool_rule
from rightcall.schema.provider_limits import provider
from rightcall.schema.subschemas import properties_of, required_of
from rightcall.schema.types import with_null


@tool_rule("TD701", "error", only_for="openai-strict", fix="suggested", sources=("OAI-so",))
def openai_strict_shape(tool: ToolFeatures) -> Findings:
    """For OpenAI strict: an object that is open or has optional properties.

    In strict mode every object says `additionalProperties: false` and requires all its properties; an
    optional one takes null instead of being left out. Otherwise the request is rejected. The tool must then
    treat null as “not given”: requiring what was optional is only suggested, and an object of free keys, or
    one that shares its value with another schema, is left to you.

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
        closable = node.path not in tool.sharing and can_be_closed(node)
        what = [f"{', '.join(missing)} not required"] if missing else []
        what += ["additionalProperties is not false"] if is_open else []
        yield Finding(
            node.path,
            f"strict mode rejects this object: {'; '.join(what)}",
            "require every property, optional ones with null among their types, and close the object",
            edits=() if is_open and not closable else _edits(node, missing, is_open),
            safe=not missing,
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


@tool_rule(
    "TD703",
    "error",
    needs=("anyOf", "oneOf", "allOf"),
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
            refusing = sorted(target for target in tool.targets if not provider(target).root_combinators)
            who = ", ".join(refusing) if refusing else "some providers"
            yield Finding(
                (*INPUT, key),
                f"{who} reject '{key}' at the root",
                "declare all properties, and a field that says which apply",
                severity="error" if refusing else "warning",
            )
