"""The distribution of a number over cases: quantiles and a histogram."""

from __future__ import annotations

import math
from array import array

from rightcall.core.text import percent
from rightcall.records.golden_id import PERSONA
from rightcall.records.record import Record
from rightcall.records.run import Summary

BINS = 24
QUANTILES = {
    "min": 0.0,
    "p25": 0.25,
    "p50": 0.5,
    "p75": 0.75,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
    "max": 1.0,
}


class Bin(Record, frozen=True):
    """How many values lie from `low` up to `high`."""

    low: float
    high: float
    count: int


class Spread(Record, frozen=True):
    """Of `n` values: mean, total, quantiles (linear between neighbours), and equal bins from least to most."""

    n: int
    mean: float
    total: float
    quantiles: dict[str, float]
    bins: tuple[Bin, ...]


class SpreadTally:
    """Keeps the numbers themselves, eight bytes each: a million cases are eight megabytes."""

    def __init__(self) -> None:
        self._values = array("d")

    def add(self, value: float | None) -> None:
        if value is not None and math.isfinite(value):
            self._values.append(value)

    def spread(self, low: float | None = None, high: float | None = None) -> Spread | None:
        """None when nothing was measured; `low` and `high` fix the ends of the histogram."""
        if not self._values:
            return None
        values = sorted(self._values)
        total = math.fsum(values)
        first = values[0] if low is None else low
        last = values[-1] if high is None else high
        return Spread(
            n=len(values),
            mean=total / len(values),
            total=total,
            quantiles={name: quantile(values, share) for name, share in QUANTILES.items()},
            bins=tuple(_bins(values, first, last)),
        )


def quantile(values: list[float] | array[float], share: float) -> float:
    """Of sorted values, linear between the two nearest (Hyndman and Fan's type 7)."""
    place = share * (len(values) - 1)
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def _bins(values: list[float], low: float, high: float) -> list[Bin]:
    if high <= low:
        return [Bin(low, high, len(values))]
    width = (high - low) / BINS
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int((value - low) / width)))] += 1
    return [Bin(low + i * width, low + (i + 1) * width, count) for i, count in enumerate(counts)]


class UserRow(Record, frozen=True):
    """The conversations with one simulated user."""

    name: str
    cases: int
    pass_rate: float


def user_rows(summary: Summary) -> tuple[UserRow, ...]:
    """One row for each simulated user; conversations with one say nothing about the others."""
    return tuple(
        UserRow(tag.removeprefix(PERSONA), group.cases, group.pass_rate)
        for tag, group in summary.tags.items()
        if tag.startswith(PERSONA) and group.cases
    )


def reliability_notes(summary: Summary) -> tuple[str, ...]:
    """Sentences for every report: pass^k, and the rate with each simulated user."""
    notes = []
    if summary.pass_k:
        values = ", ".join(f"{value:.3f}" for value in summary.pass_k)
        ks = "k = 1" if len(summary.pass_k) == 1 else f"k = 1 to {len(summary.pass_k)}"
        notes.append(f"pass^k (all k trials pass): {values} for {ks}")
    rows = user_rows(summary)
    if rows:
        shown = ", ".join(f"{row.name} {percent(row.pass_rate, 1)} of {row.cases:,}" for row in rows)
        alone = "; one simulated user says little about others" if len(rows) == 1 else ""
        notes.append(f"passed by simulated user: {shown}{alone}")
    return tuple(notes)
