"""A rate with its count, n and interval."""

from __future__ import annotations

from rightcall.model.record import Record
from rightcall.stats.intervals import wilson


class ShownRate(Record, frozen=True):
    """`count` of `n`, and the 95 % interval of the share. Without any n the value is None."""

    count: int
    n: int
    value: float | None
    low: float
    high: float


def rate(count: int, n: int, *, trials: int = 1) -> ShownRate:
    """Wilson's interval. Trials of one golden repeat each other, so n counts for n/trials observations.

    This is conservative: it assumes that all trials of a golden agree. Gates compute it exactly.
    """
    if n <= 0:
        return ShownRate(count, 0, None, 0.0, 1.0)
    low, high = wilson(min(count, n) / trials, n / trials)
    return ShownRate(count, n, count / n, low, high)
