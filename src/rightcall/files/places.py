"""A document with the location of every value in its text.

Values are decoded at once, by the readers of all files; a location is computed only on demand, by walking down one path
and letting the C scanner of the standard library skip siblings. Most locations are never needed.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from rightcall.core.errors import InputError
from rightcall.files.documents import JsonPath

if TYPE_CHECKING:
    import yaml

SUFFIXES = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}
EXCERPT = 100

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


class Document:
    """One JSON or YAML document. Locations are computed on demand.

    `first_line` is where the document begins in its file: lines of a JSONL file are documents.
    """

    def __init__(self, name: str, text: str, *, kind: str = "json", first_line: int = 1) -> None:
        self.name = name
        self.text = text
        self.kind = kind
        self.first_line = first_line
        self._repeats = False
        self.value: Any = self._json() if kind == "json" else self._yaml()

    @cached_property
    def places(self) -> JsonPlaces | YamlPlaces:
        """The lookup of locations."""
        return JsonPlaces(self.text) if self.kind == "json" else YamlPlaces(self.text)

    def place(self, path: JsonPath) -> JsonPlace | None:
        """Offsets of the value at a path, or None when there is no such value."""
        place = self.places.root
        for part in path:
            place = self.places.members(place).get(part) if place is not None else None
        return place

    def line(self, path: JsonPath) -> int:
        """Line, from 1, of the value at the path, or of the nearest value around it."""
        return self.locate(path)[0]

    def locate(self, path: JsonPath) -> tuple[int, int, str]:
        """Line, column and an excerpt of the value; the excerpt is empty when only an enclosing value exists."""
        for length in range(len(path), -1, -1):
            place = self.place(path[:length])
            if place is not None:
                excerpt = self._excerpt(place) if length == len(path) else ""
                return *self._line_and_column(place.key), excerpt
        return self.first_line, 1, ""

    def repeated_key(self, path: JsonPath) -> tuple[int, str] | None:
        """Line and text of the first key that is duplicated in an object of JSON at or below the path."""
        places = self.places
        place = self.place(path)
        waiting = [place] if self._repeats and place is not None else []
        while waiting and isinstance(places, JsonPlaces):
            place = waiting.pop()
            members = places.members(place)
            if members and place.start in places.repeated:
                offset, key = places.repeated[place.start]
                return self._line_and_column(offset)[0], key
            waiting += reversed(members.values())
        return None

    def _excerpt(self, place: JsonPlace) -> str:
        """The text at the place on one line, shortened."""
        most = place.key + 2 * EXCERPT
        line = " ".join(self.text[place.key : min(place.end, most)].split())
        return line if len(line) <= EXCERPT and place.end <= most else line[: EXCERPT - 1] + "…"

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        line = bisect.bisect_right(self._line_starts, offset)
        return line + self.first_line - 1, offset - self._line_starts[line - 1] + 1

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def _yaml(self) -> Any:
        from rightcall.files.yaml_text import yaml_value  # yaml costs 20 ms of import

        return yaml_value(self.text.encode(), self.name)

    def _json(self) -> Any:
        """The value; of a duplicate key the last one counts. NaN and Infinity are rejected."""

        def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            value = dict(pairs)
            self._repeats |= len(value) != len(pairs)
            return value

        def refuse(name: str) -> Any:
            raise ValueError(f"{name} is not a JSON number")

        try:
            return json.loads(self.text, parse_constant=refuse, object_pairs_hook=object_of)
        except RecursionError:
            raise InputError(self.name, "nested too deeply", "the limit is about 900 levels") from None
        except ValueError as error:
            line = getattr(error, "lineno", None)
            where = f"{self.name}:{line + self.first_line - 1}" if line else self.name
            text = " ".join(str(getattr(error, "msg", None) or error).split())
            raise InputError(where, f"not valid JSON: {text}", "is it really JSON?") from None


class JsonPlaces:
    """Looks up locations in valid JSON text, caching the members it has visited.

    `repeated` are offset and text of the first duplicate key of an object, by the offset of the object.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.repeated: dict[int, tuple[int, str]] = {}
        self._members: dict[int, dict[str | int, JsonPlace]] = {}
        start = self._skip(0)
        self.root: JsonPlace | None = JsonPlace(start, start, len(text.rstrip(" \t\r\n")))

    def members(self, place: JsonPlace) -> dict[str | int, JsonPlace]:
        """The members of the object or list at a place, in order; empty for a scalar."""
        members = self._members.get(place.start)
        if members is None:
            opening = self._text[place.start]
            read = {"{": self._read_object, "[": self._read_list}.get(opening)
            members = self._members[place.start] = read(place.start) if read else {}
        return members

    def _read_object(self, start: int) -> dict[str | int, JsonPlace]:
        members: dict[str | int, JsonPlace] = {}
        text = self._text
        at = self._skip(start + 1)
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
        text = self._text
        at = self._skip(start + 1)
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


class YamlPlaces:
    """Looks up locations in YAML text that was read: its nesting is limited, at which composers recurse without one."""

    def __init__(self, text: str) -> None:
        import yaml

        self._text = text
        self._members: dict[tuple[int, int], dict[str | int, JsonPlace]] = {}
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.root = None if root is None else self._place(root, root)
        waiting = [] if root is None else [root]
        while waiting:
            node = waiting.pop()
            place = self._place(node, node)
            key = place.start, place.end  # a key with an anchor begins where its mapping does
            if isinstance(node.value, str) or key in self._members:
                continue
            pairs = [part if isinstance(part, tuple) else (part, part) for part in node.value]
            is_list = isinstance(node, yaml.SequenceNode)
            self._members[key] = {
                index if is_list else str(name.value): self._place(value, name)
                for index, (name, value) in enumerate(pairs)
            }
            waiting += [value for _, value in pairs]

    def members(self, place: JsonPlace) -> dict[str | int, JsonPlace]:
        """The members of the object or list at a place, in order; empty for a scalar."""
        return self._members.get((place.start, place.end), {})

    def _place(self, node: yaml.Node, key: yaml.Node) -> JsonPlace:
        start = node.start_mark.index
        end = node.end_mark.index
        flow = isinstance(node.value, str) or bool(getattr(node, "flow_style", False))
        while not flow and end > start and self._text[end - 1] in " \t\r\n":
            end -= 1  # a block ends where the next one begins; comments and blank lines are not part of it
        return JsonPlace(key.start_mark.index, start, end, flow)
