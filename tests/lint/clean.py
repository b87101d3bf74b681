"""Tools in which no rule finds anything, and ways to spoil, spell and lint them."""

from __future__ import annotations

import json
from typing import Any

from rightcall.lint.config import LintConfig
from rightcall.lint.engine import lint
from rightcall.lint.report import LintReport
from rightcall.lint.rule import Example, Rule
from rightcall.lint.source.read import read_text

READ_ONLY = {"readOnlyHint": True, "openWorldHint": True}

CLEAN: list[dict[str, Any]] = [
    {
        "name": "get_forecast",
        "description": "Returns the daily weather forecast of one city, one entry a day. Use it when the user asks "
        "about "
        "coming days. Fails with not_found for a city it does not know.",
        "input_schema": {
            "type": "object",
            "properties": {
                "city": {
                    "type": "string",
                    "description": "City and country in English, such as Hue, Vietnam.",
                },
                "days": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 14,
                    "description": "How many days ahead, counted from tomorrow.",
                },
            },
            "required": ["city", "days"],
            "additionalProperties": False,
        },
        "output_schema": {
            "type": "object",
            "properties": {"entries": {"type": "array", "items": {"type": "string"}}},
        },
        "annotations": READ_ONLY,
    },
    {
        "name": "list_stations",
        "description": "Lists the measuring stations near a point, nearest first. Use it only to learn which masts "
        "exist; "
        "it gives no readings. Fails with out_of_range beyond the poles.",
        "input_schema": {
            "type": "object",
            "properties": {
                "latitude": {
                    "type": "number",
                    "description": "Degrees north of the equator, negative in the south.",
                },
                "longitude": {
                    "type": "number",
                    "description": "Degrees east of Greenwich, negative in the west.",
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 50,
                    "description": "Most stations in the answer.",
                },
            },
            "required": ["latitude", "longitude", "limit"],
            "additionalProperties": False,
        },
        "output_schema": {
            "type": "object",
            "properties": {"stations": {"type": "array", "items": {"type": "string"}}},
        },
        "annotations": READ_ONLY,
    },
    {
        "name": "explain_alert",
        "description": "Explains in plain words what a colour of the official warning scale means. Use it after a "
        "warning "
        "was mentioned. Fails with unknown_colour for anything else.",
        "input_schema": {
            "type": "object",
            "properties": {
                "colour": {
                    "type": "string",
                    "enum": ["yellow", "orange", "red"],
                    "description": "Colour on the warning scale.",
                }
            },
            "required": ["colour"],
            "additionalProperties": False,
        },
        "output_schema": {"type": "object", "properties": {"meaning": {"type": "string"}}},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
]


def spoiled(example: Example) -> list[dict[str, Any]]:
    """The clean tools with the merge patches of an example applied."""
    patches = example if isinstance(example, list) else [example]
    return [merged(CLEAN[index % len(CLEAN)], patch) for index, patch in enumerate(patches)]


def merged(base: Any, patch: Any) -> Any:
    """RFC 7396: objects are merged, null takes away, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def lint_tools(tools: list[dict[str, Any]], **settings: Any) -> LintReport:
    """Lint definitions as a file would be."""
    locked = settings.pop("locked", None)
    return lint(read_text(json.dumps(tools)), config=LintConfig(**settings), locked=locked)


def codes(report: LintReport) -> set[str]:
    """The codes that were found."""
    return {diagnostic.code for diagnostic in report.diagnostics}


def for_rule(rule: Rule) -> dict[str, Any]:
    """The settings under which a rule's examples are meant."""
    return {"targets": rule.targets} if rule.targets else {}
