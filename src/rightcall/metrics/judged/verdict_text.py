"""The verdict in a judge's text. What is not plainly a verdict is none: never a guess by words of praise."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

LONGEST = 100_000
"""Characters of an answer beyond which it is not read: no verdict is that long."""

FENCED = re.compile(r"```[A-Za-z]*\s*\n(.*?)\n?\s*```", re.S)
MARKER = re.compile(r"\b(?:verdict|status|result)\b[^A-Za-z\n]{1,6}([A-Za-z]+)", re.I)
"""`Verdict: pass`, `**Result** – fail`: a label, at most six characters that are not letters, and a word."""

CLAUSE_START = re.compile(r"(?:^|[^\w\s])\s*(?:(?:final|overall)\s+)?$", re.I)
"""What precedes the last clause: the start of the line or punctuation."""

MOST_OBJECTS = 50
"""Places at which an object may begin that are tried; beyond them the text holds no verdict."""


def read_verdict(
    text: str, passes: Sequence[str] = ("pass",), fails: Sequence[str] = ("fail",)
) -> bool | None:
    """The verdict in an answer of a judge without structured output; None when it has none, or more than one.

    A verdict is read if the whole answer is one of the words, quotes and full stop apart; if the answer holds exactly
    one JSON object with `verdict`; or if its last line or clause is `verdict`, `status` or `result`, up to six
    characters that are not letters, and one of the words. Nothing else in the text may name the other side. Case does
    not matter.
    """
    if len(text) > LONGEST:
        return None
    sides = {word.casefold(): side for words, side in ((passes, True), (fails, False)) for word in words}
    whole = text.strip().strip("\"'`*. \t\r\n").casefold()
    if whole in sides:
        return sides[whole]
    marked = markers(text, sides)
    objects = _objects(text)
    if objects is None:
        return None
    stated = [side_of(candidate.get("verdict"), sides) for candidate in objects if "verdict" in candidate]
    if stated:
        return stated[0] if len(stated) == 1 and set(marked) <= {stated[0]} else None
    return marked[-1] if len(set(marked)) == 1 and _ends_with_marker(text, sides) else None


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
    alone = isinstance(document, dict) and "verdict" in document and occurrences(document, "verdict") == 1
    return document if alone else None


def markers(text: str, sides: dict[str, bool]) -> list[bool]:
    """The side that each `verdict: word` of a text names; words of neither side are skipped."""
    words = (marker[1].casefold() for marker in MARKER.finditer(text[:LONGEST]))
    return [sides[word] for word in words if word in sides]


def side_of(value: Any, sides: dict[str, bool]) -> bool | None:
    return sides.get(value.strip().casefold()) if isinstance(value, str) else None


def _ends_with_marker(text: str, sides: dict[str, bool]) -> bool:
    """Whether the last line or clause is a marker with one of the words, and nothing after it."""
    last = [line for line in text.strip().splitlines() if line.strip(" \t`*_")][-1:]
    markers_of_line = list(MARKER.finditer(last[0])) if last else []
    if not markers_of_line or markers_of_line[-1][1].casefold() not in sides:
        return False
    before, after = last[0][: markers_of_line[-1].start()], last[0][markers_of_line[-1].end() :]
    return not after.strip(" \t.!*_`\"'])}") and bool(CLAUSE_START.search(before))


def _objects(text: str) -> list[dict[str, Any]] | None:
    """The JSON objects in a text, outermost only; None when one repeats a key, or there are too many to read."""
    decoder = json.JSONDecoder(object_pairs_hook=_each_key_once)
    objects: list[dict[str, Any]] = []
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
        if occurrences(value, "verdict") > 1:
            return None
        objects.append(value)
    return objects


class _RepeatedKey(ValueError):  # noqa: N818
    """An object has a key twice."""


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise _RepeatedKey
    return keys


def occurrences(value: Any, key: str) -> int:
    """How often a key occurs in a value, at any depth."""
    count, open_values = 0, [value]
    while open_values:
        here = open_values.pop()
        if isinstance(here, dict):
            count += key in here
            open_values += here.values()
        elif isinstance(here, list):
            open_values += here
    return count
