"""Structure inside a string."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_SQUEEZED = re.compile(
    r"\b(?:comma|semicolon|space|pipe)[- ](?:separated|delimited) (?:list|values|string of|set|\w+s)\b"
    r"|\b(?:json|stringified)[- ](?:string|encoded|formatted string|object|array)\b|\bstringified\b|\bserialized json\b"
    r"|\bencoded as json\b",
    re.I,
)
_NOT_A_LIST = re.compile(
    r"\b(?:lat(?:itude)?|longitude|coordinates?|city|address|csv (?:data|file|content)|last name)\b", re.I
)


_MARKS = ("separated", "delimited", "json", "stringified")


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.says_any(_MARKS):
        return
    for node in tool.properties:
        if node.schema.get("type") in ("string", "str") and (match := _SQUEEZED.search(node.text)):
            if _NOT_A_LIST.search(node.text) or "enum" in node.schema:
                continue
            yield Finding(
                node.path,
                f"'{node.name}' is a string that contains a structure ({match.group().lower()})",
                "declare it as an array or an object",
            )


RULE = Rule(
    code="TD316",
    name="stringly-typed",
    severity="warning",
    summary="A string is described as comma-separated or as JSON.",
    explanation="""The model must escape by hand what JSON could represent directly, and validators cannot look
    inside.""",
    bad={
        "input_schema": {
            "properties": {
                "stations": {"type": "string", "description": "Comma-separated names to report on."}
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "stations": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Names to report on.",
                }
            }
        }
    },
    sources=("OAI-fc",),
    check=check,
)
