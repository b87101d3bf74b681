"""Keywords and references that mean different things to different providers."""

from __future__ import annotations

from rightcall.core.groups import reachable
from rightcall.core.words import word_set
from rightcall.lint.features.schemas import walk
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, tool_rule
from rightcall.schema.provider_limits import provider, targets_without
from rightcall.schema.subschemas import reference_of

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
