"""Where the values of a JSON text stand.

Values are decoded by the C scanner of the standard library; a place is found only when somebody asks, by
walking down one path and letting the C scanner skip what is beside it. Most values are never asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rightcall.lint.diagnostic import Path

_SPACE = re.compile(r"[ \t\r\n]*")
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Place:
    """Offsets of a value, and of its key when it is a member of an object (else `key` is `start`).

    `flow` is False for a value in YAML's block style, where line breaks have a meaning.
    """

    key: int
    start: int
    end: int
    flow: bool = True


class JsonPlaces:
    """Looks up places in one text, remembering the members of the objects and lists it went through."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._members: dict[int, dict[str | int, Place]] = {}
        start = self._skip(0)
        self._root = Place(start, start, _scan(text, start)[1])

    def find(self, path: Path) -> Place | None:
        """The place of the value at the path, or None when there is none."""
        place = self._root
        for part in path:
            inner = self.members(place).get(part)
            if inner is None:
                return None
            place = inner
        return place

    def members(self, place: Place) -> dict[str | int, Place]:
        """The members of the object or list at a place, in order; empty for a scalar."""
        found = self._members.get(place.start)
        if found is None:
            opening = self._text[place.start]
            read = {"{": self._read_object, "[": self._read_list}.get(opening)
            found = self._members[place.start] = read(place.start) if read else {}
        return found

    def _read_object(self, start: int) -> dict[str | int, Place]:
        members: dict[str | int, Place] = {}
        at = self._skip(start + 1)
        while self._text[at] != "}":
            name, end = _scan(self._text, at)
            value = self._skip(self._skip(end) + 1)
            _, after = _scan(self._text, value)
            members[name] = Place(at, value, after)
            at = self._next(after)
        return members

    def _read_list(self, start: int) -> dict[str | int, Place]:
        members: dict[str | int, Place] = {}
        at = self._skip(start + 1)
        while self._text[at] != "]":
            _, after = _scan(self._text, at)
            members[len(members)] = Place(at, at, after)
            at = self._next(after)
        return members

    def _next(self, at: int) -> int:
        at = self._skip(at)
        return self._skip(at + 1) if self._text[at] == "," else at

    def _skip(self, at: int) -> int:
        if self._text[at : at + 1] not in " \t\r\n":
            return at
        found = _SPACE.match(self._text, at)
        return found.end() if found else at


def read_json(text: str) -> Any:
    """The value of a JSON text; raises `ValueError` or `RecursionError`. NaN and Infinity are refused."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
