"""An unsupported format."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import REMOVED, Edit, Finding
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider

_DEFINED = word_set(
    """
    date-time time date duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-
    reference uuid uri-template json-pointer relative-json-pointer regex int32 int64 float double byte binary
    password enum
    """
)
"""What JSON Schema 2020-12, OpenAPI and Gemini define."""


def check(tool: ToolFeatures) -> Iterator[Finding]:
    strict = [provider(target) for target in tool.targets if provider(target).formats]
    for node in tool.nodes:
        named = node.schema.get("format")
        if not isinstance(named, str):
            continue
        refused = any(named not in facts.formats for facts in strict)
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


RULE = Rule(
    code="TD709",
    name="unsupported-format",
    severity="warning",
    summary="A `format` that no standard defines, or that the strict mode of a target rejects.",
    explanation="""Validators ignore unknown formats; strict modes reject them. The fix moves the format into the
    description.""",
    bad={"input_schema": {"properties": {"city": {"format": "place-name"}}}},
    good={},
    sources=("OAI-so", "ANT-sdk"),
    check=check,
    fix="safe",
)
