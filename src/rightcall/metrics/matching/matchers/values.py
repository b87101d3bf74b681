"""Matchers on whole values: exact, one_of, any, present, absent, optional, default, type, schema, a Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from rightcall.core.declared_values import value_problem
from rightcall.core.errors import InputError, MatcherBroke
from rightcall.metrics.matching.base import (
    MISSING,
    Build,
    Kind,
    Matcher,
    Scope,
    json_type,
    nested_matcher,
    same,
    short_json,
    some_of,
    vacuous,
    wrong,
)
from rightcall.metrics.matching.matchers.numbers import is_number
from rightcall.tools.definitions.validate import fits, validator_of

JsonType = Literal["array", "boolean", "integer", "null", "number", "object", "string"]


class Exact(msgspec.Struct):
    """The value itself: `{"exact": {"a": 1}}`, or any bare JSON value."""

    expected: Any

    def score(self, value: Any, at: int) -> float:
        return 1.0 if value is not MISSING and same(self.expected, value) else 0.0

    def describe(self) -> str:
        return short_json(self.expected)


class OneOf(msgspec.Struct):
    """Any of several values or matchers: `{"one_of": ["celsius", "C"]}`."""

    options: list[Matcher]

    def score(self, value: Any, at: int) -> float:
        return max(option.score(value, at) for option in self.options)

    def describe(self) -> str:
        return "one of " + ", ".join(option.describe() for option in self.options)


class Presence(msgspec.Struct):
    """Whether it is passed, whatever the value: `{"any": true}`, `{"present": true}`, `{"absent": true}`."""

    passed: float
    missing: float
    words: str

    def score(self, value: Any, at: int) -> float:
        return self.missing if value is MISSING else self.passed

    def describe(self) -> str:
        return self.words


ANYTHING = Presence(1.0, 1.0, "anything or nothing")
PRESENT = Presence(1.0, 0.0, "any value")
ABSENT = Presence(0.0, 1.0, "left out")


class Optional(msgspec.Struct):
    """A matcher, or missing: `{"optional": {"number": 5}}`."""

    inner: Matcher

    def score(self, value: Any, at: int) -> float:
        return 1.0 if value is MISSING else self.inner.score(value, at)

    def describe(self) -> str:
        return f"{self.inner.describe()} or left out"


class Default(msgspec.Struct):
    """Exactly this value, and missing counts as this value: `{"default": 10}`."""

    expected: Any

    def score(self, value: Any, at: int) -> float:
        return 1.0 if value is MISSING or same(self.expected, value) else 0.0

    def describe(self) -> str:
        return f"{short_json(self.expected)} (the default when left out)"


class Function(msgspec.Struct):
    """A Python callable `value -> bool`; only from Python, never from a file.

    Anything else that it returns makes the case an error: most values are true, so that a forgotten comparison would pass.
    """

    function: Callable[[Any], Any]

    def score(self, value: Any, at: int) -> float:
        if value is MISSING:
            return 0.0
        name = getattr(self.function, "__name__", "the given function")
        try:
            result = self.function(value)
        except Exception as error:
            raise MatcherBroke("", f"matcher {name} raised {type(error).__name__}: {error}") from None
        plain = result.item() if hasattr(result, "item") else result  # a NumPy boolean
        if not isinstance(plain, bool):
            problem = f"matcher {name} returned {type(result).__name__}, not a bool"
            raise MatcherBroke("", problem, "return True or False")
        return float(plain)

    def describe(self) -> str:
        return f"accepted by {getattr(self.function, '__name__', 'the given function')}"


class DescribedFunction(msgspec.Struct):
    """The stored form of a function: `{"python_function": "<function is_city>"}`.

    It is never imported by that name: a dataset that could name functions could run them.
    """

    description: str

    def score(self, value: Any, at: int) -> float:
        problem = f"the golden was stored without {self.description}, which is a Python function"
        raise MatcherBroke("", problem, "score it with the original golden")

    def describe(self) -> str:
        return f"accepted by {self.description}"


def function_matcher(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    return DescribedFunction(str(spec))


def _flag(name: str, matcher: Presence) -> Build:
    def build(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
        if spec is not True:
            raise InputError("", f"matcher '{name}' is written {{\"{name}\": true}}, got {spec!r}",
                             "remove the parameter from args, or use another matcher")  # fmt: skip
        return matcher

    return build


def has_type(value: Any, name: str) -> bool:
    """Whether a value has a JSON Schema type: 1.0 is an integer, true is not a number."""
    if name == "number":
        return is_number(value)
    if name == "integer":
        return is_number(value) and float(value).is_integer()
    return json_type(value) == name


class Type(msgspec.Struct):
    """Any value of this type: `{"type": "integer"}` or `{"type": ["string", "null"]}`."""

    names: list[str]

    def score(self, value: Any, at: int) -> float:
        if value is MISSING:
            return 0.0
        return 1.0 if any(has_type(value, name) for name in self.names) else 0.0

    def describe(self) -> str:
        return f"of type {' or '.join(self.names)}"


class Schema(msgspec.Struct):
    """Any value that a JSON Schema accepts: `{"schema": {"type": "string", "format": "email"}}`."""

    schema: Any
    accepts: Callable[[Any], bool]

    def score(self, value: Any, at: int) -> float:
        return 1.0 if value is not MISSING and self.accepts(value) else 0.0

    def describe(self) -> str:
        return f"valid for {short_json(self.schema)}"


def _type(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    names = [spec] if isinstance(spec, str) else spec
    if problem := value_problem(list[JsonType], names or None):
        raise InputError("", f"matcher 'type' {problem}")
    return Type(list(names))


def _schema(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    if not isinstance(spec, dict):
        raise wrong("schema", "a JSON Schema", spec)
    if not spec:
        raise vacuous("schema", "an empty schema", 'write {"present": true} for any value')
    validator_of(spec, "matcher 'schema'")
    return Schema(spec, lambda value: fits(spec, value, "matcher 'schema'"))


KINDS = {
    "exact": Kind(lambda spec, options, scope: Exact(spec)),
    "one_of": Kind(lambda spec, options, scope: OneOf(some_of("one_of", spec, scope))),
    "any_of": Kind(lambda spec, options, scope: OneOf(some_of("any_of", spec, scope))),
    "present": Kind(_flag("present", PRESENT)),
    "absent": Kind(_flag("absent", ABSENT)),
    "any": Kind(_flag("any", ANYTHING)),
    "optional": Kind(lambda spec, options, scope: Optional(nested_matcher(spec, scope))),
    "default": Kind(lambda spec, options, scope: Default(spec)),
    "type": Kind(_type),
    "schema": Kind(_schema),
}
