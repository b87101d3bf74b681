"""A default that is only in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.schemas import fits
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.types import json_type

_SAID = re.compile(
    r"\bdefault(?:s|ed)?(?: value)?(?: is|:| to|=| =)+\s*(?:"
    r"[`'\"“](?P<quoted>[^`'\"”]{1,40})[`'\"”]|(?P<bare>-?\d{1,3}(?:,\d{3})+(?!\d)|-?[\w.%-]*[\w%]))(?P<after>[^\w]|$)",
    re.IGNORECASE,
)
_SAID_BRIEFLY = re.compile(
    r"\bdefault\s+(?P<quoted>(?!))?(?P<bare>true|false|-?\d{1,3}(?:,\d{3})+(?!\d)|-?\d[\d.]*(?<!\.))(?P<after>[^\w]|$)",
    re.IGNORECASE,
)
"""“Default false.”: without a verb, only what can be nothing but a value."""
_ONLY_SOMETIMES = re.compile(r"\s*\((?!max|min|range|limit|up to)[\w ]{1,30}:\s*-?[\d.]+", re.IGNORECASE)
"""“7.4 (timeline: 3.8)”: another default in another case, so that the schema can name neither."""
_VAGUE = word_set(
    """
    the a an all any none null no not current today now empty auto automatic user your whatever its this that in
    """
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        if "efault" not in node.text:
            continue
        default = _default_in_text(node)
        if default is None:
            continue
        if "default" not in node.schema:
            edit = Edit((*node.path, "default"), default)
            yield Finding(
                node.path,
                f"the text says the default of '{node.name}' is {default!r}, the schema does not",
                f'add "default": {_value_text(default)}',
                edits=(edit,),
            )
        elif node.schema["default"] != default:
            edit = Edit((*node.path, "default"), default)
            yield Finding(
                node.path,
                f"the text says the default of '{node.name}' is {default!r}, the schema says "
                f"{node.schema['default']!r}",
                "make the two agree",
                edits=(edit,),
            )


def _default_in_text(node: Node) -> Any:
    """The default the text names as a value of the parameter's type, or None when it is not that clear."""
    match = _SAID.search(node.text) or _SAID_BRIEFLY.search(node.text)
    if not match or _ONLY_SOMETIMES.match(node.text, match.start("after")):
        return None
    word = match["quoted"] if match["quoted"] is not None else match["bare"]
    kind = node.schema.get("type")
    if not isinstance(kind, str):
        return None
    value = _value(word, json_type(kind) or "", match)
    rest = {key: inner for key, inner in node.schema.items() if key != "default"}
    return value if value is not None and fits(value, rest) else None


def _value(word: str, kind: str, match: re.Match[str]) -> Any:
    number = word.replace(",", "")
    try:
        if kind == "integer":
            return int(number)
        if kind == "number":
            return float(number) if "." in number else int(number)
    except ValueError:
        return None
    if kind == "boolean":
        return {"true": True, "false": False}.get(word.lower())
    if kind == "string" and word.lower() not in _VAGUE:
        ends = (match["after"].strip() == "" and match.end() >= len(match.string)) or match["after"] in ".,;)"
        return word if match["quoted"] is not None or ends else None
    return None


def _value_text(value: Any) -> str:
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f'"{value}"'
        if isinstance(value, str)
        else str(value)
    )


RULE = Rule(
    code="TD211",
    name="default-in-prose",
    severity="warning",
    summary="The text names a default that the schema lacks or contradicts.",
    explanation="""Only `default` is read by validators, clients and generators; a text that disagrees with it
    misleads readers. The fix copies the value from the text to the schema.""",
    bad={
        "input_schema": {
            "properties": {
                "max_entries": {"type": "integer", "description": "Most entries to return, default is 10."}
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "max_entries": {
                    "type": "integer",
                    "description": "Most entries to return, 10 if left out.",
                    "default": 10,
                }
            }
        }
    },
    sources=("SM2",),
    check=check,
    fix="suggested",
)
