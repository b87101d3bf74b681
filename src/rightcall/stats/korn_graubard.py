"""Exact-style intervals for shares measured with repeated trials or in clusters.

Counting five trials of one case as five independent cases makes a "5 %" gate wrong 10 to 20 % of the time.
Korn and Graubard keep the Clopper-Pearson form and replace n by the number of independent cases that would
be as informative, n*.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rightcall.stats.intervals import Interval, clopper_pearson, clopper_pearson_bounds
from rightcall.stats.sample import Sample, Trials, sample
from rightcall.stats.special import t_quantile


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
