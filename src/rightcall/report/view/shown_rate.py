"""A share with what it rests on: its count, its n, and the interval beside it."""

from __future__ import annotations

from rightcall.model.record import Record
from rightcall.stats.intervals import wilson


class Rate(Record, frozen=True):
    """`count` of `n`, and the 95 % interval of the share. Without any n the value is None."""

    count: int
    n: int
    value: float | None
    low: float
    high: float


def rate(count: int, n: int, *, trials: int = 1) -> Rate:
    """Wilson's interval. Trials of one golden repeat each other, so n counts for n/trials observations.

    That is careful: it takes all trials of a golden to agree. A gate, which decides, weighs them exactly.
    """
    if n <= 0:
        return Rate(count, 0, None, 0.0, 1.0)
    low, high = wilson(min(count, n) / trials, n / trials)
    return Rate(count, n, count / n, low, high)
