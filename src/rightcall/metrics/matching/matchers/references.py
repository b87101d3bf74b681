"""Matchers that look outside the value: ref, semantic, judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rightcall.metrics.matching.base import MISSING, shown
from rightcall.metrics.matching.equality import same
from rightcall.model.call import ToolCall


def value_at(document: Any, path: str) -> Any:
    """Follow a dotted path such as `orders.0.id` into a result; MISSING when it leads nowhere."""
    here = document
    for step in path.replace("[", ".").replace("]", "").split(".") if path else ():
        if isinstance(here, list) and step.lstrip("-").isdigit() and -len(here) <= int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            return MISSING
    return here


NOT_RECORDED = ", which was not recorded"


@dataclass(slots=True)
class Ref:
    """A value out of an earlier call's result: `{"ref": {"call": "find", "path": "orders.0.id"}}`.

    The call is the id of an expected call. Any earlier call of that tool may have brought the value.
    """

    call: str
    path: str
    calls: Sequence[ToolCall]
    fits: Callable[[str], bool]

    def score(self, value: Any, at: int) -> float:
        if value is MISSING:
            return 0.0  # nothing passed is not the nothing found at the end of a path
        earlier = (call for call in self.calls[:at] if self.fits(call.name) and self._before(call, at))
        return 1.0 if any(same(value_at(call.output, self.path), value) for call in earlier) else 0.0

    def _before(self, call: ToolCall, at: int) -> bool:
        step = self.calls[at].step
        return call.step is None or step is None or call.step < step

    def describe(self) -> str:
        made = [call for call in self.calls if self.fits(call.name)]
        unknown = bool(made) and all(call.output is None for call in made)
        return f"the value {self.path or 'returned'} of {self.call}'s result" + (
            NOT_RECORDED if unknown else ""
        )


@dataclass(slots=True)
class Semantic:
    """A text that means nearly the same: `{"semantic": "send the report", "threshold": 0.85}`."""

    value: str
    threshold: float
    embed: Callable[[str], Sequence[float]]

    def score(self, value: Any, at: int) -> float:
        if not isinstance(value, str):
            return 0.0
        likeness = _cosine(self.embed(self.value), self.embed(value))
        return 1.0 if likeness >= self.threshold else max(0.0, min(likeness, 0.999))

    def describe(self) -> str:
        return f"like {shown(self.value)} in meaning"


@dataclass(slots=True)
class Judge:
    """What a judge accepts: `{"judge": "a polite apology"}`; the judge is supplied by the caller."""

    rubric: str
    judge: Callable[[str, Any], float]

    def score(self, value: Any, at: int) -> float:
        return 0.0 if value is MISSING else min(1.0, max(0.0, float(self.judge(self.rubric, value))))

    def describe(self) -> str:
        return f"judged as: {self.rubric}"


def _cosine(left: Sequence[float], right: Sequence[float]) -> float:
    dot = math.fsum(x * y for x, y in zip(left, right, strict=True))
    size = math.sqrt(math.fsum(x * x for x in left) * math.fsum(y * y for y in right))
    return dot / size if size else 0.0
