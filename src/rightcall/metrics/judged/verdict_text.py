"""The verdict in a judge's text. What is not plainly a verdict is none: never a guess by words of praise."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from rightcall.core.errors import InputError
from rightcall.core.text import one_line

LONGEST = 100_000
"""Characters of an answer beyond which it is not read: no verdict is that long."""

FENCED = re.compile(r"```[A-Za-z]*\s*\n(.*?)\n?\s*```", re.S)
MARKER = re.compile(r"\b(?:verdict|status|result)\b[\W\d_]{1,6}([^\W\d_]+)", re.I)
"""`Verdict: pass`, `**Result** – fail`: a label, at most six characters that are not letters, and a word."""

CLAUSE_START = re.compile(r"(?:^|[^\w\s])\s*(?:(?:final|overall)\s+)?$", re.I)
"""What precedes the last clause: the start of the line or punctuation."""

QUOTES = "\"'`*“”„‘’«»"
AFTER_MARKER = QUOTES + "_.!])} \t\r\n"
"""What may follow the last clause."""

MOST_OBJECTS = 50
"""Places at which an object may begin that are tried; beyond them the text holds no verdict."""

SHORTEST_STEM = 3
"""Letters from which on a word that begins like one of the words, such as `failed` or a cut `fai`, counts as it."""


def read_verdict(
    text: str, passes: Sequence[str] = ("pass",), fails: Sequence[str] = ("fail",)
) -> bool | None:
    """The verdict in an answer of a judge without structured output; None when it has none, or more than one.

    A verdict is read if the whole answer is one of the words, quotes and full stop apart; if the answer holds exactly
    one JSON object with `verdict`; or if its last line or clause is `verdict`, `status` or `result`, up to six
    characters that are not letters, and one of the words. Nothing else in the text may name the other side. Case does
    not matter. An answer of more than 100,000 characters has no verdict.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    sides = _sides(passes, fails)
    whole = text.strip().strip(QUOTES + ". \t\r\n").casefold()
    if whole in sides:
        return sides[whole]
    named = _named_sides(text, sides)
    objects = _objects(text)
    if objects is None:
        return None
    if objects:
        if len(objects) > 1 or text.count('"verdict"') > 1:  # two, or one and the start of another
            return None
        document, end = objects[0]
        stated = side_of(document["verdict"], sides)
        return stated if named <= {stated} and (not stated) not in _words_sides(text[end:], sides) else None
    last = _last_marker(text)
    return named.pop() if len(named) == 1 and last in sides else None


def _sides(passes: Sequence[str], fails: Sequence[str]) -> dict[str, bool]:
    """Each word with its side; a single word may be given as it is."""
    pass_words, fail_words = ([words] if isinstance(words, str) else list(words) for words in (passes, fails))
    sides = {word.strip().casefold(): True for word in pass_words}
    for word in fail_words:
        if sides.setdefault(word.strip().casefold(), False):
            raise InputError("read_verdict", f"'{one_line(word, 80)}' is in passes and in fails")
    return sides


def verdict_object(text: str) -> dict[str, Any] | None:
    """The object that is the whole text, optionally fenced, if it has one `verdict`; None for anything else.

    An object that repeats a key, or has a verdict inside its verdict, is none.
    """
    if len(text) > LONGEST:
        return None
    bare = text.strip()
    fenced = FENCED.fullmatch(bare)
    try:
        document = json.loads(fenced[1] if fenced else bare, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError):
        return None
    alone = isinstance(document, dict) and "verdict" in document and verdicts_in(document) == 1
    return document if alone else None


def side_of(value: Any, sides: dict[str, bool]) -> bool | None:
    return sides.get(value.strip().casefold()) if isinstance(value, str) else None


def _named_sides(text: str, sides: dict[str, bool]) -> set[bool]:
    """The sides that the markers of a text name, `failed` and a cut `fai` included; other words are skipped."""
    named: set[bool] = set()
    for marker in MARKER.finditer(text):
        word = marker[1].casefold()
        named |= {sides[word]} if word in sides else _stem_sides(word, sides)
    return named


def _stem_sides(word: str, sides: dict[str, bool]) -> set[bool]:
    if len(word) < SHORTEST_STEM:
        return set()
    return {
        side
        for known_word, side in sides.items()
        if len(known_word) >= SHORTEST_STEM and (word.startswith(known_word) or known_word.startswith(word))
    }


def _words_sides(text: str, sides: dict[str, bool]) -> set[bool]:
    """The sides whose words occur anywhere in a text."""
    words = {word.casefold() for word in re.findall(r"[^\W\d_]+", text)}
    return {side for word, side in sides.items() if word in words}


def _last_marker(text: str) -> str:
    """The word of the last marker if it is the last line or clause, and nothing follows it; else \"\"."""
    last = None
    for last in MARKER.finditer(text):  # noqa: B007  the last of them
        pass
    if last is None or text[last.end() :].strip(AFTER_MARKER):
        return ""
    line = text[: last.start()].rpartition("\n")[2]
    return last[1].casefold() if CLAUSE_START.search(line) else ""


def _objects(text: str) -> list[tuple[dict[str, Any], int]] | None:
    """The outermost JSON objects with `verdict` in a text, each with its end.

    None when one repeats a key or has several verdicts, or when there are too many to read.
    """
    if '"verdict"' not in text and "\\u" not in text:
        return []
    decoder = json.JSONDecoder(object_pairs_hook=_each_key_once)
    objects: list[tuple[dict[str, Any], int]] = []
    place = tried = 0
    while (place := text.find("{", place)) >= 0:
        tried += 1
        if tried > MOST_OBJECTS:
            return None
        try:
            value, place = decoder.raw_decode(text, place)
        except _RepeatedKey:
            return None
        except (ValueError, RecursionError):
            place += 1
            continue
        if verdicts_in(value) > 1:
            return None
        if "verdict" in value:
            objects.append((value, place))
    return objects


class _RepeatedKey(ValueError):  # noqa: N818
    """An object has a key twice."""


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise _RepeatedKey
    return keys


def verdicts_in(value: Any) -> int:
    """How often the key `verdict` occurs in a value, at any depth."""
    count, open_values = 0, [value]
    while open_values:
        here = open_values.pop()
        if isinstance(here, dict):
            count += "verdict" in here
            open_values += here.values()
        elif isinstance(here, list):
            open_values += here
    return count
