"""The one place that chooses the interval shown with a mean.

Wilson for yes/no results of independent cases, Korn-Graubard with repeated trials, clusters or weights, Student's t on
clusters for graded scores. These decide nothing: a gate needs bounds that hold in the worst design, not in
the usual one, and uses `gaffke`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from rightcall.stats.intervals import (
    Interval,
    clopper_pearson,
    t_interval,
    wilson,
)
from rightcall.stats.korn_graubard import effective_n
from rightcall.stats.sample import Sample

Method = Literal["wilson", "korn_graubard", "t"]
SMALL_SAMPLE = 10
"""Below this number of clusters, a Student's t interval is labelled a small sample wherever it is shown."""


class Estimate(NamedTuple):
    """A mean as displayed: with its interval, method and sample size."""

    mean: float
    low: float
    high: float
    method: Method
    cases: int
    trials: int
    clusters: int
    se: float | None
    rerun_se: float | None
    small: bool


def estimate(found: Sample, conf: float = 0.95) -> Estimate:
    """The interval to show with a mean: Wilson, Korn-Graubard or t, whichever the sample allows."""
    method = method_for(found)
    if method == "wilson":
        low, high = wilson(found.mean * found.cases, found.cases, conf)
    elif method == "korn_graubard":
        n = effective_n(found, conf)
        low, high = clopper_pearson(found.mean * n, n, conf)
    else:
        low, high = _clip(t_interval(found.mean, found.se or 0.0, found.clusters - 1, conf))
    small = found.clusters < SMALL_SAMPLE
    counts = (found.cases, found.trials, found.clusters)
    return Estimate(found.mean, low, high, method, *counts, found.se, found.rerun_se, small)


def method_for(found: Sample) -> Method:
    """Graded scores whose spread is unknown or zero fall back on the binomial form.

    No variable in [0, 1] varies more than a yes/no one with the same mean, so this is the conservative
    choice; a zero-width interval would be wrong.
    """
    if found.binary:
        return "wilson" if found.plain else "korn_graubard"
    return "t" if found.se else "korn_graubard"


def _clip(interval: Interval) -> Interval:
    return Interval(max(0.0, interval.low), min(1.0, interval.high))
