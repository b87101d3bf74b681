"""YAML read as JSON would be, and written so that other readers agree.

Plain scalars are text unless they are JSON: `true`, `false`, `null` (also `~` and nothing), or a JSON
number. So 007, NO, 2026-01-01 and 1_000 stay text. Keys are always text, and each may occur once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rightcall.core.depth import MAX_DEPTH
from rightcall.core.errors import InputError

if TYPE_CHECKING:
    import yaml

JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,4000})(\.[0-9]+)?([eE][+-]?[0-9]+)?")
WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}
NO_KEY = "\0"
"""A key that no document has, to read a document as one value."""
TAG = "tag:yaml.org,2002:"
MAX_ALIASED = 100_000
"""Maximum number of values that aliases may repeat in a document: nine lines of YAML can expand to a billion."""


def yaml_items(data: bytes, key: str, path: str) -> tuple[list[tuple[int, Any]], dict[str, Any], bool]:
    """The items of the list (or of that under `key`) with their lines; the rest; whether it is one object."""
    import yaml

    reader = _Reader(path)
    try:
        return reader.items(yaml.parse(data, Loader=_c_or_python(yaml, "SafeLoader")), key)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, path) from None
    except yaml.YAMLError as error:
        raise InputError(path, f"not valid YAML: {_one_line(error)}") from None
    except UnicodeDecodeError:
        raise InputError(path, "not valid UTF-8", "save the file as UTF-8") from None


def yaml_value(data: bytes, path: str) -> Any:
    """The value of a document: a list or an object."""
    entries, _, single = yaml_items(data, NO_KEY, path)
    return entries[0][1] if single else [item for _, item in entries]


def yaml_dumper() -> Callable[[Any], str]:
    """A function from plain JSON values to YAML text.

    Text that this reader or an ordinary YAML reader would not read as text is quoted.
    """
    import yaml

    base: Any = _c_or_python(yaml, "SafeDumper")
    resolvers = {first: list(entries) for first, entries in base.yaml_implicit_resolvers.items()}
    for first in "-0123456789":
        resolvers.setdefault(first, []).append((f"{TAG}float", re.compile(f"^(?:{JSON_NUMBER.pattern})$")))

    class Dumper(base):  # type: ignore[misc]
        yaml_implicit_resolvers = resolvers

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def dump(value: Any) -> str:
        text: str = yaml.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=1 << 30)
        return text

    def represent(dumper: Any, text: str) -> Any:
        return dumper.represent_scalar(f"{TAG}str", text, style="|" if _fits_block(text) else None)

    Dumper.add_representer(str, represent)
    return dump


def _fits_block(text: str) -> bool:
    """Multi-line texts are written as blocks, unless their ending would need `|+`."""
    return (
        "\n" in text.rstrip("\n")
        and not text.endswith("\n\n")
        and all(
            line.isprintable() and line == line.strip() and "\ufeff" not in line for line in text.split("\n")
        )
    )


def _c_or_python(yaml: Any, name: str) -> Any:
    return getattr(yaml, f"C{name}", None) or getattr(yaml, name)


def _syntax_error(error: yaml.MarkedYAMLError, path: str) -> InputError:
    mark = error.problem_mark or error.context_mark
    where = f"{path}:{mark.line + 1}" if mark else path
    hint = "indent with spaces, not tabs" if "'\\t'" in str(error.problem) else ""
    return InputError(where, f"not valid YAML: {_one_line(error.problem or error)}", hint)


def _one_line(what: object) -> str:
    return " ".join(str(what).split())


class _Reader:
    """Builds values from parser events.

    PyYAML's composer recurses in C without a limit, so deep nesting would crash it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._built = self._aliased = 0
        self._events: Iterator[Any] = iter(())

    def items(self, events: Iterator[Any], key: str) -> tuple[list[tuple[int, Any]], dict[str, Any], bool]:
        self._events = events
        for event in events:
            if type(event).__name__ == "DocumentStartEvent":
                break
        else:
            raise InputError(self._path, "the file is empty", "was it written completely?")
        root = next(events)
        items = self._root_items(root, key)
        next(events)
        if type(next(events)).__name__ != "StreamEndEvent":
            raise InputError(self._path, "contains several YAML documents", "remove the --- lines")
        return items

    def _root_items(self, root: Any, key: str) -> tuple[list[tuple[int, Any]], dict[str, Any], bool]:
        kind = type(root).__name__
        if kind == "SequenceStartEvent":
            return self._entries(1), {}, False
        if kind != "MappingStartEvent":
            raise self._error(root, f"expected a list, got {_kind_of(self._build(root, 0))}")
        header: dict[str, Any] = {}
        entries: list[tuple[int, Any]] | None = None
        for name, event in self._pairs(root, 0):
            if name == key and type(event).__name__ == "SequenceStartEvent":
                entries = self._entries(2)
            elif name == key:
                raise self._error(event, f"{key} must be a list, got {_kind_of(self._build(event, 1))}")
            else:
                header[name] = self._build(event, 1)
        if entries is None:
            return [(root.start_mark.line + 1, header)], {}, True
        return entries, header, False

    def _entries(self, depth: int) -> list[tuple[int, Any]]:
        return [(event.start_mark.line + 1, self._build(event, depth)) for event in self._until_end()]

    def _until_end(self) -> Iterator[Any]:
        for event in self._events:
            if type(event).__name__ in ("SequenceEndEvent", "MappingEndEvent"):
                return
            yield event

    def _pairs(self, start: Any, depth: int) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        for event in self._until_end():
            if type(event).__name__ != "ScalarEvent":
                raise self._error(
                    event, "a key must be a string", "lists, objects and aliases cannot be keys"
                )
            name = str(event.value)
            if name == "<<" and event.implicit[0]:
                raise self._error(event, "the merge key << cannot be read", "write its keys out")
            if name in seen:
                raise self._error(event, f"the key '{name[:60]}' occurs twice")
            seen.add(name)
            yield name, next(self._events)

    def _build(self, event: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise self._error(event, f"nested more than {MAX_DEPTH} levels deep")
        kind = type(event).__name__
        before = self._built
        self._built += 1
        value: Any
        if kind == "AliasEvent":
            return self._value_of_alias(event)
        if kind == "ScalarEvent":
            value = self._scalar(event)
        elif kind == "SequenceStartEvent":
            self._refuse_tag(event, "seq")
            value = [self._build(item, depth + 1) for item in self._until_end()]
        else:
            self._refuse_tag(event, "map")
            value = {name: self._build(item, depth + 1) for name, item in self._pairs(event, depth)}
        if event.anchor:
            self._anchors[event.anchor] = (value, self._built - before)
        return value

    def _value_of_alias(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise self._error(event, f"the alias *{event.anchor} has no finished anchor before it")
        value, size = self._anchors[event.anchor]
        self._aliased += size
        self._built += size
        if self._aliased > MAX_ALIASED:
            raise self._error(
                event, f"aliases repeat more than {MAX_ALIASED:,} values", "write the values out"
            )
        return value

    def _scalar(self, event: Any) -> Any:
        text = event.value
        tag = event.tag
        if tag is None and event.implicit[0]:
            return self._plain(event, text)
        if tag in (None, "!", f"{TAG}str"):  # quoted, or tagged as a string
            return text
        value = self._plain(event, text)
        names = {bool: "bool", int: "int", float: "float", type(None): "null"}
        if tag == f"{TAG}{names.get(type(value))}":
            return value
        raise self._tag_error(event)

    def _plain(self, event: Any, text: str) -> Any:
        if text in WORDS:
            return WORDS[text]
        number = JSON_NUMBER.fullmatch(text)
        if number is None:
            return text
        if number[1] is None and number[2] is None:
            return int(text)
        value = float(text)
        if math.isinf(value):
            raise self._error(
                event, f"the number {text[:40]} is out of range", "quote it to make it a string"
            )
        return value

    def _refuse_tag(self, event: Any, expected: str) -> None:
        if event.tag not in (None, "!", f"{TAG}{expected}"):
            raise self._tag_error(event)

    def _tag_error(self, event: Any) -> InputError:
        problem = f"the tag {_one_line(event.tag)[:60]} cannot be read"
        return self._error(event, problem, "only plain JSON values can")

    def _error(self, event: Any, problem: str, hint: str = "") -> InputError:
        return InputError(f"{self._path}:{event.start_mark.line + 1}", problem, hint)


def _kind_of(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
    return kinds.get(type(value), "a number")
