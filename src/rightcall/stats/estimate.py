"""The one place where a mean gets its interval, its bounds and its evidence against a threshold.

Shown beside a mean: Wilson for yes/no results of independent cases, Korn-Graubard with repeated trials,
clusters or weights, Student's t on clusters for graded scores. Deciding a gate: Clopper-Pearson for the
first, and Korn-Graubard made careful for all others, because one-sided t bounds on scores crowded near 1 let
a run at the threshold pass 6 to 32 % of the time instead of 5.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from rightcall.stats.intervals import (
    Interval,
    clopper_pearson,
    clopper_pearson_bounds,
    clopper_pearson_p_values,
    t_interval,
    wilson,
    zero_seen_bound,
)
from rightcall.stats.korn_graubard import effective_n, gate_n_star
from rightcall.stats.sample import Sample

Method = Literal["wilson", "korn_graubard", "t"]
SMALL_SAMPLE = 10
"""Below so many clusters an interval from Student's t is called a small sample wherever it is shown."""


class Estimate(NamedTuple):
    """A mean as it is shown: with its interval, how that was made, and how much it rests on."""

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
    """The interval to show beside a mean: Wilson, Korn-Graubard or t, whichever the sample allows."""
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

    No variable in [0, 1] varies more than a yes/no one of the same mean, so that is the careful choice; a
    zero-width interval would be a lie.
    """
    if found.binary:
        return "wilson" if found.plain else "korn_graubard"
    return "t" if found.se else "korn_graubard"


def bounds(found: Sample, alpha: float = 0.05) -> Interval:
    """One-sided lower and upper bound at 1−alpha each, as a gate uses them.

    Clopper-Pearson at `gate_n_star`. However many trials each case has, G clusters that all pass show no more
    than alpha^(1/G), and a run with a failure cannot show more than a perfect one; so neither bound goes
    beyond that.
    """
    n = gate_n_star(found, alpha)
    low, high = clopper_pearson_bounds(found.mean * n, n, alpha)
    most = 1 - zero_seen_bound(found.clusters, alpha)
    return Interval(min(low, most), max(high, 1 - most))


def p_values(found: Sample, theta: float, alpha: float = 0.05) -> tuple[float, float]:
    """One-sided p-values (mean below theta, mean at or above theta): `bounds` inverted.

    The first ≤ alpha exactly when the lower bound reaches theta, the second < alpha exactly when the upper
    bound stays below it. `alpha` matters only for the t quantiles inside n*.
    """
    n = gate_n_star(found, alpha)
    below, above = clopper_pearson_p_values(found.mean * n, n, theta)
    return max(below, theta**found.clusters), max(above, (1 - theta) ** found.clusters)


def _clip(interval: Interval) -> Interval:
    return Interval(max(0.0, interval.low), min(1.0, interval.high))
