"""The interval shown with a mean: the one place that chooses it, and Korn-Graubard's interval for trials and clusters.

Wilson for yes/no results of independent cases, Korn-Graubard with repeated trials, clusters or weights, Student's t on
clusters for graded scores. These decide nothing: a gate needs bounds that hold in the worst design, not in
the usual one, and uses `gaffke`.

Counting five trials of one case as five independent cases makes a "5 %" gate wrong 10 to 20 % of the time.
Korn and Graubard keep the Clopper-Pearson form and replace n by the number of independent cases that would
be as informative, n*.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

from rightcall.stats.clusters import Sample, Trials, sample
from rightcall.stats.intervals import (
    Interval,
    clopper_pearson,
    clopper_pearson_bounds,
    t_interval,
    wilson,
)
from rightcall.stats.special import t_quantile

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


def korn_graubard(
    trials: Trials,
    conf: float = 0.95,
    *,
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
) -> Interval:
    """Clopper-Pearson at x = S n*, n = n*, with n* of `effective_n`.

    Korn & Graubard, Survey Methodology 24 (1998) 193.
    """
    found = sample(trials, clusters, weights)
    n = effective_n(found, conf)
    return clopper_pearson(found.mean * n, n, conf)


def korn_graubard_bounds(
    trials: Trials,
    alpha: float = 0.05,
    *,
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
) -> Interval:
    """One-sided bounds for the gate: n* as for the two-sided interval at 1−alpha, Beta quantiles at alpha."""
    found = sample(trials, clusters, weights)
    n = effective_n(found, 1 - alpha)
    return clopper_pearson_bounds(found.mean * n, n, alpha)


def effective_n(found: Sample, conf: float = 0.95) -> float:
    """n* = min(N, n_eff (t_{N−1}/t_{G−1})²), t at 1−(1−conf)/2; n_eff = S(1−S)/SE² clipped to [1, N].

    When all pass or all fail, SE carries no information and n* = G, the number of clusters. The ratio of t
    quantiles accounts for estimating the error from only G clusters; it is 1 when N = G.
    """
    if found.plain:
        return float(found.cases)
    if found.se is None or found.se <= 0 or not 0 < found.mean < 1:
        return float(found.clusters)
    n_eff = min(max(found.mean * (1 - found.mean) / found.se**2, 1.0), float(found.trials))
    if found.trials == found.clusters:
        return n_eff
    q = 1 - (1 - conf) / 2
    ratio = t_quantile(q, found.trials - 1) / t_quantile(q, found.clusters - 1)
    return min(float(found.trials), n_eff * ratio**2)
