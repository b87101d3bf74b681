"""A share of trials under attack."""

from __future__ import annotations

from rightcall.model.record import Record


class SafetyRate(Record, frozen=True):
    """A share with its 95 % interval, and the upper bound of one side; no value where too little was seen."""

    count: int
    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    upper: float | None = None
