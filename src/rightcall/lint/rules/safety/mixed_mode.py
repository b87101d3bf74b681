"""One tool that reads or destroys, depending on a word."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.effects import DESTROY, READ
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_MODES = frozenset(["action", "operation", "op", "mode", "command", "method", "verb"])


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.parameters:
        values = node.schema.get("enum")
        if node.name.lower() not in _MODES or not isinstance(values, list):
            continue
        verbs = [tokens[0] for value in values if isinstance(value, str) and (tokens := name_tokens(value))]
        reads = [verb for verb in verbs if verb in READ]
        destroys = [verb for verb in verbs if verb in DESTROY or verb == "remove"]
        if reads and destroys:
            yield Finding(
                node.path,
                f"'{node.name}' is {reads[0]} or {destroys[0]}: one word separates a harmless call from a "
                "destructive one",
                "make two tools, so that one can be offered without the other",
            )


RULE = Rule(
    code="TD411",
    name="mixed-mode",
    severity="warning",
    summary="An `action` parameter mixes reading and deleting.",
    explanation="""Consolidating tools is good advice, but a tool that both reads and destroys cannot be approved
    for reading alone, and one wrong word does damage.""",
    bad={
        "input_schema": {
            "properties": {
                "action": {
                    "type": "string",
                    "enum": ["get", "delete"],
                    "description": "What to do with the forecast.",
                }
            }
        }
    },
    good={},
    sources=("SNYK",),
    check=check,
)
