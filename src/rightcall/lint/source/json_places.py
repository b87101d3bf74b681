"""Locations of the values in JSON text.

Values are decoded by the C scanner of the standard library; a location is computed only on demand, by
walking down one path and letting the C scanner skip siblings. Most locations are never needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from rightcall.files.documents import JsonPath

_SPACE = re.compile(r"[ \t\r\n]*").match
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*").match
_COMMA = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*").match
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]


class JsonPlace(NamedTuple):
    """Offsets of a value, and of its key when it is a member of an object (else `key` is `start`).

    `flow` is False for a value in YAML's block style, where line breaks have a meaning.
    """

    key: int
    start: int
    end: int
    flow: bool = True


class Places:
    """Locations in one text. `root` is that of its value, None without one; `repeated` are offset and text of the
    first duplicate key of an object, by the offset of the object.
    """

    root: JsonPlace | None
    repeated: dict[int, tuple[int, str]]

    def members(self, place: JsonPlace) -> dict[str | int, JsonPlace]:
        """The members of the object or list at a place, in order; empty for a scalar."""
        raise NotImplementedError

    def find(self, path: JsonPath) -> JsonPlace | None:
        """The location of the value at the path, or None."""
        place = self.root
        for part in path:
            place = self.members(place).get(part) if place is not None else None
        return place

    def repeated_key(self, path: JsonPath) -> tuple[int, str] | None:
        """Offset and text of the first key that is duplicated in an object at or below the path."""
        place = self.find(path)
        waiting = [place] if place is not None else []
        while waiting:
            place = waiting.pop()
            members = self.members(place)
            if members and place.start in self.repeated:
                return self.repeated[place.start]
            waiting += reversed(members.values())
        return None


class JsonPlaces(Places):
    """Looks up locations in valid JSON text, caching the members it has visited."""

    def __init__(self, text: str) -> None:
        self._text, self.repeated = text, {}
        self._members: dict[int, dict[str | int, JsonPlace]] = {}
        start = self._skip(0)
        self.root = JsonPlace(start, start, len(text.rstrip(" \t\r\n")))

    def members(self, place: JsonPlace) -> dict[str | int, JsonPlace]:
        members = self._members.get(place.start)
        if members is None:
            opening = self._text[place.start]
            read = {"{": self._read_object, "[": self._read_list}.get(opening)
            members = self._members[place.start] = read(place.start) if read else {}
        return members

    def _read_object(self, start: int) -> dict[str | int, JsonPlace]:
        members: dict[str | int, JsonPlace] = {}
        text, at = self._text, self._skip(start + 1)
        while text[at] != "}":
            name, end = _scan(text, at)
            value = _end(_COLON(text, end))
            after = _scan(text, value)[1]
            if name in members:
                self.repeated.setdefault(start, (at, name))
            members[name] = JsonPlace(at, value, after)
            at = _end(_COMMA(text, after))
        return members

    def _read_list(self, start: int) -> dict[str | int, JsonPlace]:
        members: dict[str | int, JsonPlace] = {}
        text, at = self._text, self._skip(start + 1)
        while text[at] != "]":
            after = _scan(text, at)[1]
            members[len(members)] = JsonPlace(at, at, after)
            at = _end(_COMMA(text, after))
        return members

    def _skip(self, at: int) -> int:
        return _end(_SPACE(self._text, at))


def _end(match: re.Match[str] | None) -> int:
    """Where a pattern ends that always fits a text the decoder has accepted."""
    assert match is not None
    return match.end()


def read_json(text: str) -> tuple[Any, bool]:
    """The value of a JSON text, and whether an object in it has a duplicate key (the last one counts).

    Raises `ValueError` or `RecursionError`. NaN and Infinity are rejected.
    """
    repeats: list[bool] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            repeats.append(True)
        return value

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is not a JSON number")

    return json.loads(text, parse_constant=refuse, object_pairs_hook=object_of), bool(repeats)
