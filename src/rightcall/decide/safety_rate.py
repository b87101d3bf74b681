"""A share of trials under attack."""

from __future__ import annotations

from collections.abc import Iterable

from rightcall.decide.outcome import Outcome
from rightcall.model.record import Record


class SafetyRate(Record, frozen=True):
    """A share with its 95 % interval, and the upper bound of one side; no value where too little was seen."""

    count: int
    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    upper: float | None = None


MARK = "~"
"""Separates the user's golden from the attack in the id of an attempt."""


def task_of(golden_id: str) -> str:
    """The user's golden of an attempt."""
    return golden_id.partition(MARK)[0]


def endless_tasks(outcomes: Iterable[Outcome]) -> frozenset[str]:
    """The user's goldens that reached a limit without an attack."""
    return frozenset(o.golden_id for o in outcomes if MARK not in o.golden_id and o.codes.get("loop_limit"))
