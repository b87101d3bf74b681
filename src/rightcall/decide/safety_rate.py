"""A share of trials under attack."""

from __future__ import annotations

from collections.abc import Iterable

from rightcall.decide.outcome import Outcome
from rightcall.model.record import Record
from rightcall.model.safety import MARK


class SafetyRate(Record, frozen=True):
    """A share with its 95 % interval, and the upper bound of one side; no value where too little was seen."""

    count: int
    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    upper: float | None = None


def endless_tasks(outcomes: Iterable[Outcome]) -> frozenset[str]:
    """The user's goldens that reached a limit without an attack."""
    return frozenset(o.golden_id for o in outcomes if MARK not in o.golden_id and o.codes.get("loop_limit"))
