"""The one place where a mean gets its interval, its bounds and its evidence against a threshold.

Yes/no results of independent cases use the binomial distribution; with repeated trials, clusters or weights
Korn-Graubard; graded scores Student's t on clusters.
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
)
from rightcall.stats.korn_graubard import effective_n
from rightcall.stats.sample import Sample
from rightcall.stats.special import t_quantile, t_sf

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
    """One-sided lower and upper bound at 1−alpha each, as a gate uses them."""
    if method_for(found) == "t":
        half = t_quantile(1 - alpha, found.clusters - 1) * (found.se or 0.0)
        return _clip(Interval(found.mean - half, found.mean + half))
    n = effective_n(found, 1 - alpha)
    return clopper_pearson_bounds(found.mean * n, n, alpha)


def p_values(found: Sample, theta: float, alpha: float = 0.05) -> tuple[float, float]:
    """One-sided p-values (mean below theta, mean at or above theta); `bounds` inverted.

    The first ≤ alpha exactly when the lower bound reaches theta, the second < alpha exactly when the upper
    bound stays below it. `alpha` matters only for the t quantiles inside Korn-Graubard's n*.
    """
    if method_for(found) == "t":
        t = (found.mean - theta) / (found.se or 1.0)
        return t_sf(t, found.clusters - 1), t_sf(-t, found.clusters - 1)
    n = effective_n(found, 1 - alpha)
    return clopper_pearson_p_values(found.mean * n, n, theta)


def _clip(interval: Interval) -> Interval:
    return Interval(max(0.0, interval.low), min(1.0, interval.high))
