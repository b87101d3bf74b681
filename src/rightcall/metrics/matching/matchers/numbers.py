"""Matchers on numbers: number with tolerance, range."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.metrics.matching.base import Kind, Matcher, Scope, short_json, vacuous, wrong


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


KINDS = {
    "number": Kind(_number, frozenset(("abs", "rel"))),
    "range": Kind(_range),
}
