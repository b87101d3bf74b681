"""A bound that is only in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.types import json_type

_NUMBER = r"(?P<number>-?\d{1,3}(?:,\d{3})+|-?\d+(?:\.\d+)?)"
_NOT_A_QUANTITY = r"(?![\w%]|[.,:/-]\d|\s*(?:%|percent))"
_MOST = r"\b(?:max(?:imum)?(?: (?:is|of|value|number))*|at most|up to|no more than|not more than|limited to)"
_LEAST = r"\b(?:min(?:imum)?(?: (?:is|of|value|number))*|at least|no (?:less|fewer) than)"
_THINGS = r"(?:results?|items?|entries|elements|values|records?|(?:user |file )?ids?)\b"
_ALONE = rf"(?=\s*(?:$|[.,;)\]]|per (?:call|request|page|batch)\b|{_THINGS}))"
_CHARACTERS = r"(?=\s*(?:characters?|chars?)\b)"


def _pattern(words: str, after: str) -> re.Pattern[str]:
    return re.compile(rf"{words}\s*[:=]?\s*{_NUMBER}{_NOT_A_QUANTITY}{after}", re.IGNORECASE)


_BOUNDS = {
    "array": (
        ("maxItems", ("maxItems",), _pattern(_MOST, _ALONE)),
        ("minItems", ("minItems",), _pattern(_LEAST, _ALONE)),
    ),
    "string": (
        ("maxLength", ("maxLength", "pattern", "enum", "format"), _pattern(_MOST, _CHARACTERS)),
        ("minLength", ("minLength", "pattern", "enum", "format"), _pattern(_LEAST, _CHARACTERS)),
    ),
    "number": (
        ("maximum", ("maximum", "exclusiveMaximum", "enum"), _pattern(_MOST, _ALONE)),
        ("minimum", ("minimum", "exclusiveMinimum", "enum"), _pattern(_LEAST, _ALONE)),
    ),
}
"""By type: the keyword, those that already say it, and how texts say it."""
_MARKS = ("max", "min", "at most", "up to", "more than", "less than", "fewer than", "limited to", "at least")


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.says_any(_MARKS):
        return
    for node in tool.properties:
        declared = node.schema.get("type")
        kind = (json_type(declared) or "") if isinstance(declared, str) else ""
        for keyword, stated_by, pattern in _BOUNDS.get("number" if kind == "integer" else kind, ()):
            bound = None if any(key in node.schema for key in stated_by) else _bound(node, pattern, keyword)
            if bound is not None:
                side = "at most" if keyword.startswith("max") else "at least"
                unit = " characters" if keyword.endswith("Length") else ""
                yield Finding(
                    node.path,
                    f"the text limits '{node.name}' to {side} {bound}{unit}, the schema does not",
                    f'add "{keyword}": {bound}',
                    edits=(Edit((*node.path, keyword), bound),),
                )


def _bound(node: Node, pattern: re.Pattern[str], keyword: str) -> int | float | None:
    """The number the text names, or None when it names none or several."""
    numbers = {match["number"].replace(",", "") for match in pattern.finditer(node.text)}
    if len(numbers) != 1:
        return None
    written = numbers.pop()
    counts = keyword.endswith(("Items", "Length"))
    if "." in written:
        return None if counts else float(written)
    return None if counts and written.startswith("-") else int(written)


RULE = Rule(
    code="TD321",
    name="limit-in-prose",
    severity="warning",
    summary="The text names a limit (“max 100 per call”) that the schema lacks.",
    explanation="""A validator enforces `maxItems`, `maximum` and `maxLength` before the call has an effect, and the
    model gets an error it can correct; a limit in the text alone is found out by the service. Texts that name
    several limits are not reported.""",
    bad={
        "input_schema": {
            "properties": {
                "days": {
                    "type": "integer",
                    "description": "Days ahead, at least 1.",
                    "minimum": None,
                }
            }
        }
    },
    good={},
    sources=("OAI-fc", "SM2"),
    check=check,
    fix="suggested",
)
