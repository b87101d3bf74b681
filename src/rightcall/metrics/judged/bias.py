"""Where a judge errs: leniency, answer length and its own family.

Each is a difference with an exact test; Holm's correction is over the whole list. Nothing is corrected silently: the
report says what was seen, and where labels are too few to say anything.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from rightcall.providers.provider_kinds import family_of
from rightcall.records.record import Record
from rightcall.stats.paired_tests import bonett_price, fisher_exact, holm, mcnemar_exact

LEAST_IN_CELL = 20
"""Labels that either side of a difference needs."""


class RatedCase(Record, frozen=True):
    """A case that the judge and people both decided, with what its error may depend on."""

    judge: bool
    people: bool
    length: int = 0
    agent: str = ""
    model: str = ""
    version: str = ""

    @property
    def error(self) -> int:
        """1 where the judge is too lenient, −1 where it is too strict."""
        return int(self.judge) - int(self.people)


class Bias(Record, frozen=True, omit_defaults=False):
    """One difference: `p` after Holm's correction. `problem` says why there is none."""

    name: str
    about: str
    labels: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    problem: str = ""


def bias_report(rows: Sequence[RatedCase], *, everywhere: Sequence[RatedCase] = ()) -> list[Bias]:
    """The biases of a judge on labelled cases of a run.

    `everywhere` has the labelled cases of all runs, for what needs several agents.
    """
    report = [leniency(rows), _length(rows), _self_preference(everywhere or rows)]
    tested = [bias for bias in report if bias.p is not None]
    adjusted = dict(zip(map(id, tested), holm([bias.p or 0.0 for bias in tested]), strict=True))
    return [replace(bias, p=adjusted[id(bias)]) if id(bias) in adjusted else bias for bias in report]


def leniency(rows: Sequence[RatedCase]) -> Bias:
    """The judge's rate less people's on the same cases; McNemar's exact test."""
    name = "leniency"
    about = "the judge's rate less people's"
    if len(rows) < LEAST_IN_CELL:
        return Bias(name, about, len(rows), problem="not enough labels")
    lenient = sum(row.error > 0 for row in rows)
    strict = sum(row.error < 0 for row in rows)
    low, high = bonett_price(len(rows), strict, lenient)  # of strict less lenient, by its order
    difference = (lenient - strict) / len(rows)
    return Bias(name, about, len(rows), difference, low=low, high=high, p=mcnemar_exact(lenient, strict))


def _length(rows: Sequence[RatedCase]) -> Bias:
    middle = statistics.median(row.length for row in rows) if rows else 0
    about = f"signed error of answers above {middle:,.0f} characters less that of others"
    return _difference("length", about, rows, lambda row: row.length > middle)


def _self_preference(rows: Sequence[RatedCase]) -> Bias:
    about = "signed error where agent and judge are of one family less that elsewhere"
    if len({family_of(row.agent) for row in rows}) < 2:
        return Bias("self-preference", about, len(rows), problem="needs labelled cases of two agents")
    return _difference(
        "self-preference", about, rows, lambda row: family_of(row.agent) == family_of(row.model)
    )


def _difference(
    name: str, about: str, rows: Sequence[RatedCase], belongs: Callable[[RatedCase], bool]
) -> Bias:
    """The signed error of some cases less that of the others, tested for either sign by Fisher's exact test."""
    inside = [row for row in rows if belongs(row)]
    outside = [row for row in rows if not belongs(row)]
    if min(len(inside), len(outside)) < LEAST_IN_CELL:
        problem = f"not enough labels: {len(inside)} and {len(outside)} of {LEAST_IN_CELL}"
        return Bias(name, about, len(rows), problem=problem)
    p = min(1.0, 2 * min(_fisher(inside, outside, 1), _fisher(inside, outside, -1)))
    difference = statistics.fmean(row.error for row in inside) - statistics.fmean(
        row.error for row in outside
    )
    margin = 1.96 * (_variance(inside) / len(inside) + _variance(outside) / len(outside)) ** 0.5
    return Bias(name, about, len(rows), difference, low=difference - margin, high=difference + margin, p=p)


def _fisher(inside: Sequence[RatedCase], outside: Sequence[RatedCase], sign: int) -> float:
    table = [
        [sum(row.error == sign for row in rows), sum(row.error != sign for row in rows)]
        for rows in (inside, outside)
    ]
    return fisher_exact(table)


def _variance(rows: Sequence[RatedCase]) -> float:
    """Of the signed errors, with one lenient and one strict error more, so that no errors do not mean certainty."""
    return statistics.pvariance([*(float(row.error) for row in rows), 1.0, -1.0])
