"""Sentences, excerpts, case styles and docstrings of definitions."""

from __future__ import annotations

import re
from inspect import cleandoc

CHARACTERS_PER_TOKEN = 4.4
TOKENS_PER_WIDE_CHARACTER = 0.7

_SENTENCE_END = re.compile(r"[.!?。！？]+(?=[\s\"')\]]|$)|\n\s*\n|\n\s*[-*•]\s|\n(?=\s*\d+[.)]\s)")
_NOT_AN_END = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|min|max|incl|resp|dr|mr|ms|st|u\.s)\.", re.I
)


def flat(text: str) -> str:
    """The text in lower case with a single space wherever there is any, so that no line break hides a phrase."""
    return " ".join(text.lower().split())


def sentences(text: str) -> list[str]:
    """The sentences and list items of a text, without the punctuation at their ends."""
    if not text:
        return []
    plain = _NOT_AN_END.sub(lambda match: match.group().replace(".", " "), text) if "." in text else text
    return [part for raw in _SENTENCE_END.split(plain) if len(part := raw.strip()) > 1]


def excerpt(text: str, width: int = 60) -> str:
    """The text on one line, cut at a word when it is long."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1].rsplit(" ", 1)[0] + "…"


def estimate_tokens(text: str) -> int:
    """Tokens that a definition costs, estimated offline and rounded up.

    The estimate is the length of the compact JSON (name, description, schema) divided by 4.4 characters a token,
    with 0.7 tokens for every character outside ASCII. Tokenizers differ by about a tenth on tool definitions and
    providers wrap definitions in additional text, so expect an error of about 15 %.
    """
    if text.isascii():
        return -int(-len(text) // CHARACTERS_PER_TOKEN)
    wide = sum(1 for character in text if character > "\x7f")
    return -int(-(wide * TOKENS_PER_WIDE_CHARACTER + (len(text) - wide) / CHARACTERS_PER_TOKEN) // 1)


_BLOCK = re.compile(
    r"(?m)^[ \t]*(?:Args|Arguments|Parameters|Params)[ \t]*:?[ \t]*\n(?:[ \t]*-{3,}[ \t]*\n)?"
)
_ENTRY = re.compile(r"^\s*(?:[-*]\s*)?`?(\w+)`?\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_SPHINX = re.compile(r"(?m)^[ \t]*:param(?:[ \t]+\w+)?[ \t]+(\w+):[ \t]*(.*)$")
_FIELD = re.compile(r"\s*:(?:param|type|returns?|rtype|raises)\b")
_HEADING = re.compile(r"^\s*(?:Returns?|Raises|Yields|Examples?|Notes?)\s*:?\s*$", re.IGNORECASE)


def outside_sections(text: str) -> str:
    """A docstring without its sections, such as `Args:` and `Returns:`, each up to a paragraph that is not indented."""
    lines = []
    is_section = False
    is_blank = True
    for line in cleandoc(text).split("\n"):
        if _HEADING.match(line) or _BLOCK.match(f"{line}\n") or _FIELD.match(line):
            is_section = True
        elif is_blank and line[:1].strip() and not _ENTRY.match(line):
            is_section = False
        is_blank = not line.strip()
        lines += [] if is_section else [line]
    return "\n".join(lines)


def parameters_in_docstring(text: str) -> tuple[dict[str, str], str]:
    """What an `Args:` block or `:param` lines say of each parameter, and the text without them."""
    if ":param" in text:
        parameters = {name: text_of.strip() for name, text_of in _SPHINX.findall(text)}
        return parameters, _SPHINX.sub("", text).rstrip()
    block = _BLOCK.search(text) if ":" in text and "\n" in text else None
    if block is None:
        return {}, text
    lines = text[block.end() :].split("\n")
    documented: dict[str, str] = {}
    used = 0
    for line in lines:
        entry = _ENTRY.match(line)
        if _HEADING.match(line) or (not line.strip() and documented):
            break
        if entry:
            documented[entry[1]] = entry[2].strip()
        elif documented and line.strip():
            last = next(reversed(documented))
            documented[last] = f"{documented[last]} {line.strip()}".strip()
        used += 1
    rest = text[: block.start()].rstrip() + "\n" + "\n".join(lines[used:])
    return documented, rest.rstrip()
