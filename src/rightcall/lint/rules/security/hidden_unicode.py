"""Invisible characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_HIDDEN = ("Cf", "Co", "Cn", "Cc", "Cs")
_VALUES = frozenset(("const", "enum", "default", "examples"))
_JOINERS = "\u200c\u200d"


def check(tool: ToolFeatures) -> Iterator[Finding]:
    text = tool.whole_text
    if text.isascii() and "\\u00" not in text and "\x7f" not in text:
        return
    for path, text in tool.strings:
        hidden = invisible_characters(text)
        if not hidden:
            continue
        secret = "".join(chr(ord(c) - 0xE0000) for c in hidden if 0xE0020 <= ord(c) <= 0xE007E)
        spelling = f", which spell “{excerpt(secret, 60)}”" if secret else ""
        points = ", ".join(f"U+{ord(c):04X}" for c in list(dict.fromkeys(hidden))[:4])
        clean = "".join(c for c in text if c not in hidden)
        edits = (Edit(path, clean),) if path[-1] in ("description", "title") else ()
        yield Finding(
            path,
            f"{len(hidden)} invisible characters ({points}){spelling}",
            "remove them, and find out how they got there",
            edits=edits,
            safe=_VALUES.isdisjoint(path),
        )


def invisible_characters(text: str) -> str:
    """The characters of a text that show nothing, but for joiners inside emoji and other scripts."""
    if text.isascii():
        return "".join(_CONTROL.findall(text))
    characters = []
    for index, character in enumerate(text):
        if character in "\t\n\r" or unicodedata.category(character) not in _HIDDEN:
            continue
        beside = text[max(0, index - 1) : index] + text[index + 1 : index + 2]
        if character in _JOINERS and len(beside) == 2 and not beside[0].isascii() and not beside[1].isascii():
            continue
        characters.append(character)
    return "".join(characters)


RULE = Rule(
    code="TD801",
    name="hidden-unicode",
    severity="error",
    summary="Zero-width, tag, bidirectional, private or control characters in the definition.",
    explanation="""A reviewer sees a harmless sentence; the model reads another. Tag characters (U+E0000 …) carry
    whole hidden texts, which are shown decoded. Joiners inside emoji and in scripts that need them
    are not reported.""",
    bad={
        "description": "Returns the daily forecast\u200b of one city, or an error. Use it when the user asks about "
        "coming days. One "
        "entry a day."
    },
    good={},
    sources=("SNYK", "UTS39"),
    check=check,
    fix="safe",
)
