"""A format that is only in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_DATE_TIME = re.compile(
    r"yyyy-mm-ddt?[ t]?hh:mm:ssz|iso[ -]?8601 (?:date-?time|timestamp)|rfc[ -]?3339", re.I
)
_DATE_ONLY = re.compile(r"\byyyy-mm-dd\b(?![ t]*[\[(]?t?[ t]*h)", re.I)
_UUID = re.compile(r"\b(?:uuid|guid)\b", re.I)
_OTHER_FORM = re.compile(
    r"\b(?:or|optional|relative|natural|e\.g\. ['\"]?(?:today|tomorrow)|mm/dd|dd/mm|yyyymmdd|comma)\b", re.I
)


_MARKS = ("yyyy", "8601", "3339", "uuid", "guid")


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.says_any(_MARKS):
        return
    for node in tool.properties:
        if node.schema.get("type") not in ("string", "str") or not node.text:
            continue
        if any(key in node.schema for key in ("format", "pattern", "enum", "const")):
            continue
        format_ = _format(node.text)
        if format_ and not _OTHER_FORM.search(node.text):
            yield Finding(
                node.path,
                f"the text of '{node.name}' asks for a {format_}, the schema for any text",
                f'add "format": "{format_}"',
                edits=(Edit((*node.path, "format"), format_),),
            )


def _format(text: str) -> str:
    if len(re.findall("yyyy", text, re.IGNORECASE)) > 1:
        return ""  # a range, or a choice of forms
    if _DATE_TIME.search(text):
        return "date-time"
    if _DATE_ONLY.search(text):
        return "date"
    return "uuid" if _UUID.search(text) else ""


RULE = Rule(
    code="TD305",
    name="format-in-prose",
    severity="warning",
    summary="The text asks for YYYY-MM-DD, RFC 3339 or a UUID, the schema has neither `format` nor `pattern`.",
    explanation="""Strict modes enforce `format`; a text alone is followed most of the time. Texts that
    allow several forms are not reported.""",
    bad={
        "input_schema": {
            "properties": {
                "first_day": {"type": "string", "description": "First day wanted, written YYYY-MM-DD."}
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "first_day": {"type": "string", "format": "date", "description": "First day wanted."}
            }
        }
    },
    sources=("OAI-so", "ANT-sdk"),
    check=check,
    fix="suggested",
)
