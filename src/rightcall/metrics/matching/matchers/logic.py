"""Matchers made of matchers: not, all, any_of (the same as one_of)."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.metrics.matching.base import MISSING, Kind, Matcher, Scope, nested_matcher, some_of


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
    "not": Kind(_not),
    "all": Kind(lambda spec, options, scope: All(some_of("all", spec, scope))),
}
