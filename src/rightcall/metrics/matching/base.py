"""The interface of matchers, and equality of JSON values, typed: true is not 1, but 1 is 1.0."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from rightcall.core.errors import InputError
from rightcall.core.text import shorten
from rightcall.records.call import ToolCall

MISSING = msgspec.UNSET
"""An argument that was not passed."""


class Matcher(Protocol):
    """Scores one argument.

    `score` takes the value, or MISSING, and the index of its call, and returns a number in [0, 1].
    `describe` completes the sentence "should be …".
    """

    def score(self, value: Any, at: int) -> float: ...

    def describe(self) -> str: ...


class Sources:
    """From which calls `ref` reads: the partners of expected calls that have an id.

    `of` maps ids to positions of actual calls. An id that is not in it is still open: any call of the tool may
    become its partner. `named` are the ids that some `ref` mentions.
    """

    __slots__ = ("named", "of")

    def __init__(self) -> None:
        self.named: set[str] = set()
        self.of: dict[str, frozenset[int]] = {}


class Scope(msgspec.Struct, frozen=True):
    """The context for compiling a matcher.

    `calls` are the calls of the trajectory (for `ref`); `tool_of` names the tool of an expected call by its
    id. `benefit_of_doubt` says whether arguments that are not known count as right; `negated` that a matcher is inside
    a `not`, `search` that a pattern may match a part of the text. `compile` makes the matchers inside one.
    """

    calls: Sequence[ToolCall] = ()
    tool_of: dict[str, Any] = {}
    by_schema: bool = False
    benefit_of_doubt: bool = True
    sources: Sources = msgspec.field(default_factory=Sources)
    negated: bool = False
    search: bool = False
    compile: Callable[[Any, Scope], Matcher] | None = None


def short_json(value: Any, limit: int = 120) -> str:
    """A value as short JSON, for a sentence."""
    if value is MISSING:
        return "nothing"
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        text = repr(value)
    return shorten(text, limit)


Build = Callable[[Any, dict[str, Any], Scope], Matcher]
"""Makes a matcher from the value of its key, the options next to it, and the context."""


class Kind(NamedTuple):
    """A matcher as goldens write it: how it is made, and the options it takes."""

    build: Build
    options: frozenset[str] = frozenset()


def nested_matcher(spec: Any, scope: Scope) -> Matcher:
    assert scope.compile is not None  # set by `compile_matcher`, which knows all matchers
    return scope.compile(spec, scope)


def list_of(name: str, spec: Any, scope: Scope) -> list[Matcher]:
    if not isinstance(spec, list | tuple):
        raise wrong(name, "a list", spec)
    return [nested_matcher(item, scope) for item in spec]


def some_of(name: str, spec: Any, scope: Scope) -> list[Matcher]:
    """The matchers of a list that must not be empty: it would accept anything, or nothing."""
    if isinstance(spec, list | tuple) and not spec:
        raise vacuous(name, "an empty list", ACCEPT_ANY)
    return list_of(name, spec, scope)


def text_of(name: str, spec: Any) -> str:
    """The spec, if it is a string."""
    if not isinstance(spec, str):
        raise wrong(name, "a string", spec)
    return spec


def mentions_ref(spec: Any) -> bool:
    """Whether a matcher may read the result of another call."""
    if isinstance(spec, dict):
        return "ref" in spec or any(mentions_ref(value) for value in spec.values())
    return isinstance(spec, list | tuple) and any(mentions_ref(item) for item in spec)


def wrong(name: str, requirement: str, spec: Any) -> InputError:
    """The error for a spec of the wrong type."""
    return InputError("", f"matcher '{name}' needs {requirement}, got {json_type(spec)}")


ACCEPT_ANY = 'list what it should accept, or write {"any": true}, {"present": true} or {"not": {"any": true}}'


def vacuous(name: str, setting: str, hint: str = ACCEPT_ANY) -> InputError:
    """The error for a spec that checks nothing, whatever value it is given."""
    return InputError("", f"matcher '{name}' with {setting} checks nothing", hint)


def json_type(value: Any) -> str:
    """The JSON Schema name of a value's type; `integer` for whole numbers written as such."""
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), type(value).__name__)


NUMBERS = frozenset((int, float))


def same(expected: Any, actual: Any) -> bool:
    """Whether two JSON values are equal: numbers by value, text in NFC, objects in any order, lists in order."""
    kind = type(expected)
    if kind is not type(actual):
        if kind is tuple or type(actual) is tuple:
            return same(_plain(expected), _plain(actual))
        return kind in NUMBERS and type(actual) in NUMBERS and bool(expected == actual)
    if kind is str:
        return expected == actual or same_text(expected, actual)
    if kind is dict:
        return _same_objects(expected, actual)
    if kind is list or kind is tuple:
        return _same_lists(expected, actual)
    return bool(expected == actual)


def equality_key(value: Any) -> Hashable:
    """A key that two JSON values share exactly when they are the `same`: finds duplicates without comparing all pairs."""
    kind = type(value)
    if kind is str:
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if kind is dict:
        return dict, frozenset((name, equality_key(inner)) for name, inner in value.items())
    if kind is list or kind is tuple:
        return list, tuple(map(equality_key, value))
    if kind is bool or kind in NUMBERS:
        return (bool if kind is bool else float), value
    try:
        hash(value)
    except TypeError:  # a Python value that is not JSON
        return kind, repr(value)
    key: Hashable = value
    return key


def same_text(expected: str, actual: str) -> bool:
    """Equality of two texts however their accents are composed."""
    if expected.isascii() and actual.isascii():
        return expected == actual
    return unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", actual)


def identical_arguments(expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    """A fast check for plain arguments that are equal as written; False means "undecided".

    Only scalars of one type and lists of texts are decided here: anything else may be a matcher or may need
    typed comparison.
    """
    if expected != actual:
        return False
    for name, value in expected.items():
        kind = type(value)
        if kind is str:  # only a text equals a text
            continue
        if kind is dict or (kind is list and not _all_text(value)) or kind is not type(actual[name]):
            return False
    return True


def _all_text(items: list[Any]) -> bool:
    for item in items:  # noqa: SIM110  a generator costs more than the loop it replaces
        if type(item) is not str:
            return False
    return True


def _same_objects(expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    if len(expected) != len(actual):
        return False
    for key, value in expected.items():  # noqa: SIM110  a loop takes half the stack of all() for nested values
        if key not in actual or not same(value, actual[key]):
            return False
    return True


def _same_lists(expected: Any, actual: Any) -> bool:
    if len(expected) != len(actual):
        return False
    for left, right in zip(expected, actual, strict=True):  # noqa: SIM110
        if not same(left, right):
            return False
    return True


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
