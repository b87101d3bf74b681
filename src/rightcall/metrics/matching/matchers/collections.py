"""Matchers made of matchers: set, multiset, superset_of, subset_of, items, object, not, all."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.metrics.matching.assignment import STEPS_OF_A_COMPARISON, best_assignment, spend
from rightcall.metrics.matching.base import (
    MISSING,
    Build,
    Kind,
    Matcher,
    Scope,
    list_of,
    nested_matcher,
    some_of,
    wrong,
)


def best_pairing(members: list[Matcher], values: list[Any], at: int) -> tuple[int, float]:
    """The maximum number of members matched to distinct values, and the best sum of scores."""
    spend(STEPS_OF_A_COMPARISON * len(members) * len(values))
    weights = [[member.score(value, at) for value in values] for member in members]
    pairs = best_assignment(weights)
    scores = [weights[i][j] for i, j in pairs]
    return sum(score == 1.0 for score in scores), sum(scores)


class Bag(msgspec.Struct):
    """Elements in any order, matched one to one.

    `multiset`: the same elements as often · `set`: repeats do not count · `superset_of`: these and maybe
    more · `subset_of`: some of these and no other.
    """

    kind: str
    members: list[Matcher]

    def score(self, value: Any, at: int) -> float:
        if not isinstance(value, list):
            return 0.0
        if self.kind == "set":
            return self._as_set(value, at)
        full, total = best_pairing(self.members, value, at)
        member_count = len(self.members)
        value_count = len(value)
        if self.kind == "superset_of":
            return total / member_count
        if self.kind == "subset_of":
            return total / value_count if value_count else 1.0
        return 1.0 if full == member_count == value_count else 2 * total / (member_count + value_count)

    def _as_set(self, value: list[Any], at: int) -> float:
        spend(2 * STEPS_OF_A_COMPARISON * len(self.members) * len(value))
        member_scores = [max((m.score(v, at) for v in value), default=0.0) for m in self.members]
        value_scores = [max((m.score(v, at) for m in self.members), default=0.0) for v in value]
        size = len(member_scores) + len(value_scores)
        return (sum(member_scores) + sum(value_scores)) / size if size else 1.0

    def describe(self) -> str:
        words = {"set": "the set", "multiset": "in any order", "superset_of": "at least", "subset_of": "only"}
        return f"{words[self.kind]} [{', '.join(m.describe() for m in self.members)}]"


class Items(msgspec.Struct):
    """A list matched position by position: `{"items": [1, {"number": 2, "abs": 0.1}]}`."""

    members: list[Matcher]

    def score(self, value: Any, at: int) -> float:
        if not isinstance(value, list):
            return 0.0
        size = max(len(value), len(self.members))
        total = sum(m.score(v, at) for m, v in zip(self.members, value, strict=False))
        return total / size if size else 1.0

    def describe(self) -> str:
        return f"[{', '.join(m.describe() for m in self.members)}]"


class Object(msgspec.Struct):
    """An object matched key by key, with no other keys: `{"object": {"name": "Ann", "age": {"range": [18, 99]}}}`."""

    members: dict[str, Matcher]

    def score(self, value: Any, at: int) -> float:
        if not isinstance(value, dict):
            return 0.0
        total = sum(m.score(value.get(key, MISSING), at) for key, m in self.members.items())
        size = len(self.members) + sum(key not in self.members for key in value)
        return total / size if size else 1.0

    def describe(self) -> str:
        return "{" + ", ".join(f"{key}: {m.describe()}" for key, m in self.members.items()) + "}"


def _object(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    if not isinstance(spec, dict):
        raise wrong("object", "an object of matchers", spec)
    return Object({key: nested_matcher(value, scope) for key, value in spec.items()})


def _bag(name: str) -> Build:
    if name == "superset_of":  # every list is a superset of an empty one
        return lambda spec, options, scope: Bag(name, some_of(name, spec, scope))
    return lambda spec, options, scope: Bag(name, list_of(name, spec, scope))


class Not(msgspec.Struct):
    """Passed, and not accepted by the inner matcher: `{"not": "admin"}`."""

    inner: Matcher

    def score(self, value: Any, at: int) -> float:
        return 0.0 if value is MISSING or self.inner.score(value, at) == 1.0 else 1.0

    def describe(self) -> str:
        return f"anything but {self.inner.describe()}"


class All(msgspec.Struct):
    """Accepted by every matcher: `{"all": [{"contains": "a"}, {"contains": "b"}]}`."""

    members: list[Matcher]

    def score(self, value: Any, at: int) -> float:
        return min(member.score(value, at) for member in self.members)

    def describe(self) -> str:
        return " and ".join(member.describe() for member in self.members)


def _not(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    return Not(nested_matcher(spec, replace(scope, negated=not scope.negated)))


KINDS = {
    "set": Kind(_bag("set")),
    "multiset": Kind(_bag("multiset")),
    "superset_of": Kind(_bag("superset_of")),
    "subset_of": Kind(_bag("subset_of")),
    "object": Kind(_object),
    "items": Kind(lambda spec, options, scope: Items(list_of("items", spec, scope))),
    "not": Kind(_not),
    "all": Kind(lambda spec, options, scope: All(some_of("all", spec, scope))),
}
