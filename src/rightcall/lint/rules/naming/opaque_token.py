"""A name with an unreadable part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import ACRONYMS
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_NO_VOWELS = re.compile(r"[bcdfghjklmnpqrstvwxz]{3,}")
_KNOWN_NUMBERS = re.compile(
    r"(?:19|20)\d\d|100|128|192|256|360|365|384|404|500|512|1000|1024|8601|3166|4217|3339"
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for token in tool.name_tokens:
        number = token.isdigit() and len(token) >= 3 and not _KNOWN_NUMBERS.fullmatch(token)
        letters = _NO_VOWELS.fullmatch(token) and token not in ACRONYMS
        if (number or letters) and token not in re.findall(r"[a-z0-9]+", tool.lower):
            what = "a number that means nothing to a model" if number else "no word a model knows"
            yield Finding(
                ("name",),
                f"'{token}' in '{tool.name}' is {what}",
                "spell it out, or say in the text what it is",
                severity=None if number else "info",
            )


RULE = Rule(
    code="TD107",
    name="opaque-token",
    severity="warning",
    summary="A part of the name is a bare number or letters without a vowel, and the text does not explain it.",
    explanation="""`activate_card_8291` or `get_prdktn` cannot be distinguished from similar names by meaning. Known
    short forms (html, uuid, sha256) and tokens that the description uses are not reported. Letters give only
    an info: they may be jargon.""",
    bad={"name": "get_fcst_forecast_8291"},
    good={"name": "get_forecast"},
    sources=("GEM", "measured"),
    check=check,
)
