"""An enum whose values no text explains."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import OPPOSITES, SIDES, UNITS, word_set
from rightcall.lint.features.text import name_tokens, words
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

MOST_EXPLAINED = 12
"""Longer lists are catalogues (languages, countries), whose entries nobody explains one by one."""

_IDENTIFIER = re.compile(
    r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d|^[A-Za-z]{1,2}$|^[^aeiouyAEIOUY\W\d]{3,}$"
)
"""Names out of a program (`admin_action`, `needsAction`) and codes (`P1`, `X`, `std`): words such as `cheap` explain
themselves."""
_STANDARD = word_set(
    "lang language languages locale currency country format formats mime encoding unit units algorithm"
)
"""Parameters whose values are codes that everybody knows."""
_PLAIN = UNITS | frozenset(word for pair in (*OPPOSITES, *SIDES) for word in pair)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        values = node.schema.get("enum")
        if not isinstance(values, list) or not 2 <= len(values) <= MOST_EXPLAINED:
            continue
        if not _STANDARD.isdisjoint(name_tokens(node.name)):
            continue
        unclear = [value for value in values if isinstance(value, str) and not _is_plain(value)]
        if len(unclear) < 2 or len(unclear) * 2 < len(values) or node.schema.get("enumDescriptions"):
            continue
        text = f"{node.text} {tool.description}".lower()
        if not any(_mentions(text, value) for value in unclear):
            shown = ", ".join(unclear[:3])
            yield Finding(
                (*node.path, "enum"),
                f"no text says what the values of '{node.name}' mean: {shown}{' …' if len(unclear) > 3 else ''}",
                "say in the description when to use each",
            )


def _is_plain(value: str) -> bool:
    return _IDENTIFIER.search(value) is None or all(part in _PLAIN for part in words(value.replace("_", " ")))


def _mentions(text: str, value: Any) -> bool:
    """Whether a text uses the value, as written or with spaces."""
    spaced = re.sub(r"[_\-]+", "[ _-]", re.escape(value.lower()).replace(r"\-", "-"))
    return re.search(rf"(?<!\w){spaced}(?!\w)", text) is not None


RULE = Rule(
    code="TD322",
    name="unexplained-enum",
    severity="info",
    summary="No text says what the values of an enum mean.",
    explanation="""An enum tells a model which values exist, not when to use which: `admin_action` or
    `security_incident`? One clause each is enough. Plain words, standard codes
    (languages, units, formats) and lists of more than 12 values are not reported.""",
    bad={
        "input_schema": {
            "properties": {
                "reason": {
                    "type": "string",
                    "enum": ["user_request", "admin_action", "expiry_run"],
                    "description": "Why the forecast is asked for.",
                }
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "reason": {
                    "type": "string",
                    "enum": ["user_request", "admin_action", "expiry_run"],
                    "description": "Why the forecast is asked for: user_request when the user asked, admin_action "
                    "when an operator did, expiry_run when the last one is out of date.",
                }
            }
        }
    },
    sources=("OAI-fc", "SM1"),
    check=check,
)
