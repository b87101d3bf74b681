"""Splits text into chunks at the best boundary: paragraphs, sentences, words, never inside a character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rightcall.model.record import Record

_BREAKS = (
    re.compile(r"\n\s*\n|\n(?=#{1,6} )"),
    re.compile(r"\n|(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？；])[」』”’）]*"),
    re.compile(r"\s+|(?<=[，、；：,;:])"),
)
"""Boundaries, best first: after a paragraph, after a sentence, after a word or clause."""

_JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3")
LEAST_SHARE = 0.25
"""A boundary that would leave less of a chunk than this is skipped for a worse kind of boundary."""


class Chunk(Record, frozen=True):
    """A chunk of a text and its position: `text == whole[start:end]`."""

    text: str
    start: int
    end: int


def split_chunks(text: str, size: int = 1024, overlap: int = 0) -> Iterator[Chunk]:
    """Chunks of at most `size` characters that cover the text; each repeats up to `overlap` characters of the last.

    Only a single grapheme cluster (a letter with its accents, a family emoji) may be longer than `size`.
    """
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= size else _cut(text, start, start + size)
        if text[start:end].strip():
            yield Chunk(text[start:end], start, end)
        if end >= len(text):
            return
        start = max(_boundary_before(text, end - overlap, start + 1), start + 1) if overlap else end
        start = start if is_boundary(text, start) else _boundary_after(text, start)
        start = min(start, end)


def is_boundary(text: str, at: int) -> bool:
    """Whether a text may be split here without breaking a grapheme cluster.

    The rules of Unicode's extended grapheme clusters (UAX #29) that matter in practice: marks, joiners, variation
    selectors, skin tones, flags, Hangul syllables, and CRLF.
    """
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return False
    if unicodedata.category(after) in ("Mn", "Me", "Mc") or after in _JOINERS or before == "\u200d":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return False
    if _is_flag(before) and _is_flag(after):
        return _flags_before(text, at) % 2 == 0
    return not _same_syllable(before, after)


def _cut(text: str, start: int, limit: int) -> int:
    least = start + int((limit - start) * LEAST_SHARE)
    for breaks in _BREAKS:
        last = None
        for match in breaks.finditer(text, least, limit):
            if start < match.end() <= limit and is_boundary(text, match.end()):
                last = match.end()
        if last is not None:
            return last
    before = _boundary_before(text, limit, start + 1)
    return before if is_boundary(text, before) else _boundary_after(text, limit)


def _boundary_before(text: str, at: int, least: int) -> int:
    at = max(at, least)
    while at > least and not is_boundary(text, at):
        at -= 1
    return at


def _boundary_after(text: str, at: int) -> int:
    while at < len(text) and not is_boundary(text, at):
        at += 1
    return at


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    count = 0
    while at - count - 1 >= 0 and _is_flag(text[at - count - 1]):
        count += 1
    return count


def _same_syllable(before: str, after: str) -> bool:
    """Hangul written as jamo: a leading consonant keeps its vowel, a vowel its final consonant."""
    leading = "\u1100" <= before <= "\u115f"
    vowel = "\u1160" <= before <= "\u11a7" or "\uac00" <= before <= "\ud7a3"
    return (leading and "\u1100" <= after <= "\u11a7") or (vowel and "\u1160" <= after <= "\u11ff")
