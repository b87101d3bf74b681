"""The interface of matchers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from rightcall.core.errors import InputError
from rightcall.core.text import shorten
from rightcall.model.call import ToolCall

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
    id; `embed` and `judge` are only set when the user supplied them. `benefit_of_doubt` says whether arguments that
    are not known count as right; `negated` that a matcher is inside a `not`. `compile` makes the matchers inside one.
    """

    calls: Sequence[ToolCall] = ()
    tool_of: dict[str, Any] = {}
    by_schema: bool = False
    embed: Callable[[str], Sequence[float]] | None = None
    judge: Callable[[str, Any], float] | None = None
    benefit_of_doubt: bool = True
    sources: Sources = msgspec.field(default_factory=Sources)
    negated: bool = False
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


def are_among(words: Any, vocabulary: set[str]) -> bool:
    """Whether it is a list of known words; values from a file may be of any type."""
    return isinstance(words, list | tuple) and all(
        isinstance(word, str) and word in vocabulary for word in words
    )


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
