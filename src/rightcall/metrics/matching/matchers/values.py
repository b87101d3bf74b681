"""Matchers on whole values: exact, one_of, any, present, absent, optional, default, type, number, range, schema, a function."""

from __future__ import annotations

import math
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
from rightcall.tools.definitions.validate import fits, validator_of


def is_number(value: Any) -> bool:
    """A JSON number: not true or false, not NaN."""
    return type(value) is int or (type(value) is float and not math.isnan(value))


class Number(msgspec.Struct):
    """Near a number: |v − e| ≤ max(abs, rel·|e|) and 4 ulp: `{"number": {"value": 10, "abs": 0.5}}`.

    The ulps make 20.00 lie within 0.01 of 19.99, as it does on paper; whole numbers need none.
    """

    value: float
    abs: float = 0.0
    rel: float = 0.0

    def score(self, value: Any, at: int) -> float:
        if not is_number(value):
            return 0.0
        return 1.0 if value == self.value or self._is_near(value) else 0.0

    def describe(self) -> str:
        allowed = self._tolerance()
        return f"{short_json(self.value)} ± {allowed:g}" if allowed else short_json(self.value)

    def _tolerance(self) -> float:
        try:
            return max(self.abs, self.rel * math.fabs(self.value))
        except OverflowError:  # a whole number beyond all floats
            return self.abs

    def _is_near(self, value: float) -> bool:
        try:
            apart = math.fabs(value - self.value)
            size = max(math.fabs(value), math.fabs(self.value))
        except OverflowError:
            return False
        if not math.isfinite(size):
            return False
        exact = type(value) is int and type(self.value) is int
        return apart <= self._tolerance() + (0.0 if exact else 4 * math.ulp(size))


class Range(msgspec.Struct):
    """Between two numbers, ends included: `{"range": {"min": 1, "max": 7}}` or `{"range": [1, 7]}`."""

    low: float | None = None
    high: float | None = None

    def score(self, value: Any, at: int) -> float:
        if not is_number(value):
            return 0.0
        fits = (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        return 1.0 if fits else 0.0

    def describe(self) -> str:
        if self.low is None:
            return f"at most {short_json(self.high)}"
        if self.high is None:
            return f"at least {short_json(self.low)}"
        return f"between {short_json(self.low)} and {short_json(self.high)}"


def _number(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    settings = {**spec, **options} if isinstance(spec, dict) else {"value": spec, **options}
    if unknown := settings.keys() - {"value", "abs", "rel"}:
        raise InputError("", f"matcher 'number' has no option '{min(unknown)}'", "use value, abs, rel")
    for key, value in settings.items():
        if not is_number(value) or (key != "value" and not 0 <= value < math.inf):
            needed = f"a number for {key}{'' if key == 'value' else ' that is not negative'}"
            raise wrong("number", needed, value)
    if "value" not in settings:
        raise InputError("", "matcher 'number' needs a value")
    return Number(**settings)


def _range(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    named = isinstance(spec, dict) and spec and spec.keys() <= {"min", "max"}
    ends = (spec.get("min"), spec.get("max")) if named else spec
    two = isinstance(ends, list | tuple) and len(ends) == 2
    if not two or not all(end is None or is_number(end) for end in ends):
        raise wrong("range", "[low, high] or {min, max} in numbers", spec)
    low, high = ends
    if low is None and high is None:
        raise vacuous("range", "neither min nor max", 'give one of them, or write {"type": "number"}')
    if low is not None and high is not None and low > high:
        raise InputError("", f"matcher 'range' from {low} to {high} matches no number", "swap the two")
    return Range(low, high)


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
    "number": Kind(_number, frozenset(("abs", "rel"))),
    "range": Kind(_range),
}
