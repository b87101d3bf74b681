"""A quantity without a unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import MEASURES, UNIT_PARAMETERS, UNITS
from rightcall.lint.features.text import name_tokens, parameters_in_docstring, words
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_NO_UNIT = re.compile(
    r"\b(?:normal|multiplier|multiplied|relative|factor|scale|level|ranging|range|between)\b", re.I
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    asks_unit = any("unit" in name.lower() for name in tool.parameter_names)
    for node in tool.properties:
        tokens = name_tokens(node.name)
        if (
            not tokens
            or tokens[-1] not in UNIT_PARAMETERS | MEASURES
            or not node.is_only("integer", "number", "float")
        ):
            continue
        if asks_unit or "enum" in node.schema or any(token in UNITS for token in tokens[:-1]):
            continue
        text = node.text
        if node.depth == 1:
            text = f"{text} {parameters_in_docstring(tool.description)[0].get(node.name, '')}"
        if _NO_UNIT.search(text):
            continue
        if "%" in text or any(word in UNITS or word.rstrip("s") in UNITS for word in words(text)):
            continue
        example = f"{node.name}_seconds, or say" if tokens[-1] in _TIME else "say"
        yield Finding(
            node.path,
            f"'{node.name}' is a number without a unit",
            f"{example} the unit in the text",
            severity=None if tokens[-1] in UNIT_PARAMETERS else "info",
        )


_TIME = frozenset(["timeout", "duration", "delay", "interval", "ttl", "latency"])

RULE = Rule(
    code="TD306",
    name="unit-missing",
    severity="warning",
    summary="A numeric timeout, duration, distance … has no unit in its name or text.",
    explanation="""30 seconds or 30 milliseconds: the model takes the one it has seen more often. Put the unit into
    the name or say it in the text. An info for measures that may be counts, levels or plain
    geometry (size, radius).""",
    bad={
        "input_schema": {
            "properties": {"timeout": {"type": "number", "description": "How long to wait for the answer."}}
        }
    },
    good={
        "input_schema": {
            "properties": {"timeout_s": {"type": "number", "description": "How long to wait, in seconds."}}
        }
    },
    sources=("ANT-eng",),
    check=check,
)
