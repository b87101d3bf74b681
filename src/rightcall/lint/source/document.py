"""A file with tool definitions: its value, and the location of every value in its text."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from rightcall.core.errors import InputError
from rightcall.files.documents import JsonPath
from rightcall.lint.source.json_places import JsonPlace, JsonPlaces, Places, read_json

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801  a decorator, like property
    """`functools.cached_property` without the lock it takes before Python 3.12.

    Features are asked for a hundred thousand times in a large lint, by one thread; the lock took a tenth of it.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self._name, self.__doc__ = compute, compute.__name__, compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> lazy[T]: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> lazy[T] | T:
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._compute(owner)
        return value


SUFFIXES = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


EXCERPT = 100


class Document:
    """One JSON or YAML document. Locations are computed on demand.

    `first_line` is where the document begins in its file: lines of a JSONL file are documents.
    """

    def __init__(self, name: str, text: str, *, kind: str = "json", first_line: int = 1) -> None:
        self.name, self.text, self.kind, self.first_line = name, text, kind, first_line
        self._repeats = False
        self.value = self._read()

    def place(self, path: JsonPath) -> JsonPlace | None:
        """Offsets of the value at a path, or None when there is no such value."""
        return self.places.find(path)

    @lazy
    def places(self) -> Places:
        """The lookup of locations."""
        return JsonPlaces(self.text)

    def position(self, path: JsonPath) -> tuple[int, int]:
        """Line and column, from 1, of the value at the path, or of the nearest value around it."""
        return self.locate(path)[:2]

    def locate(self, path: JsonPath) -> tuple[int, int, str]:
        """Line, column and an excerpt of the value; the excerpt is empty when only an enclosing value exists."""
        for length in range(len(path), -1, -1):
            place = self.place(path[:length])
            if place is not None:
                excerpt = self._excerpt(place) if length == len(path) else ""
                return *self._line_and_column(place.key), excerpt
        return self.first_line, 1, ""

    def repeated_key(self, path: JsonPath) -> tuple[int, str] | None:
        """Line and text of the first key that is duplicated in an object at or below the path."""
        key = self.places.repeated_key(path) if self._repeats else None
        return (self._line_and_column(key[0])[0], key[1]) if key else None

    def _excerpt(self, place: JsonPlace) -> str:
        """The text at the place on one line, shortened."""
        most = place.key + 2 * EXCERPT
        line = " ".join(self.text[place.key : min(place.end, most)].split())
        return line if len(line) <= EXCERPT and place.end <= most else line[: EXCERPT - 1] + "…"

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        line = bisect.bisect_right(self._line_starts, offset)
        return line + self.first_line - 1, offset - self._line_starts[line - 1] + 1

    @lazy
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def _read(self) -> Any:
        try:
            if self.kind == "json":
                value, self._repeats = read_json(self.text)
                return value
            from rightcall.lint.source.yaml_places import read_yaml  # yaml costs 20 ms of import

            value, self.places = read_yaml(self.text)
            self._repeats = bool(self.places.repeated)
        except RecursionError:
            raise InputError(self.name, "nested too deeply", "the limit is about 900 levels") from None
        except ValueError as error:
            raise InputError(*self._parser_complaint(error), "is it really JSON?") from None
        except Exception as error:
            if type(error).__module__.split(".")[0] != "yaml":
                raise
            raise InputError(*self._parser_complaint(error), "is it really YAML?") from None
        return value

    def _parser_complaint(self, error: Exception) -> tuple[str, str]:
        """Where and what a parser complained about, on one line."""
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else getattr(error, "lineno", None)
        where = f"{self.name}:{line + self.first_line - 1}" if line else self.name
        text = getattr(error, "problem", None) or getattr(error, "msg", None) or str(error)
        return where, f"not valid {self.kind.upper()}: {' '.join(str(text).split())}"
