"""Text that was decoded wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_BROKEN = re.compile(
    "[\u00c2\u00c3\u00e2][\u0080-\u00bf\u0152-\u0178\u0192\u02c6\u02dc\u2013-\u2122]{1,2}|\ufffd"
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for path, text in tool.prose:
        if text.isascii() or not (match := _BROKEN.search(text)):
            continue
        repaired = _BROKEN.sub(_repair, text)
        edits = (Edit(path, repaired),) if repaired != text and not _BROKEN.search(repaired) else ()
        near = excerpt(text[max(0, match.start() - 15) : match.end() + 15], 40)
        yield Finding(
            path, f"wrongly decoded characters: “{near}”", "save the source as UTF-8", edits=edits, safe=True
        )


def _repair(match: re.Match[str]) -> str:
    """The characters whose UTF-8 bytes were read as Windows-1252."""
    try:
        return match.group().encode("cp1252").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return match.group()


RULE = Rule(
    code="TD212",
    name="mojibake",
    severity="warning",
    summary="A text contains characters like `Ã©`, `â€™` or U+FFFD.",
    explanation="""UTF-8 was decoded as another encoding. The model sees noise in the middle of words.""",
    bad={
        "description": (
            "Returns a city\u00e2\u20ac\u2122s daily forecast, or an error. Use it for coming days. One "
            "entry a day."
        )
    },
    good={
        "description": "Returns a city\u2019s daily forecast, or an error. Use it for coming days. One entry a day."
    },
    sources=("practice",),
    check=check,
    fix="safe",
)
