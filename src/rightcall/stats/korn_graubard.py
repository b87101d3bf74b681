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

IMAGINED_YES_NO, IMAGINED_GRADED = 0.25, 0.5
"""The part of a cluster that a gate adds to the passes, and to the failures, before it trusts the error."""


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

    When all pass or all fail SE says nothing and n* = G, the number of clusters. The ratio of t quantiles
    pays for knowing the error from only G clusters; it is 1 when N = G.
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


def gate_n_star(found: Sample, alpha: float = 0.05) -> float:
    """n* for a one-sided decision: as `effective_n`, with a little of two imagined clusters added.

    A quarter of a cluster that always passes and a quarter of one that always fails (half of each for graded
    scores) are added before SE is computed. Where failures are few SE rests on two or three clusters and is too
    small just when the mean is too high: the plain n* lets 6 to 7 % of runs at the threshold PASS instead of 5
    (benchmarks/gate_error_rates.py). Graded scores vary less than yes/no ones of the same mean, so their n*
    may exceed the number of trials.
    """
    if found.plain and found.binary:
        return float(found.cases)
    if not found.se or not 0 < found.mean < 1:
        return float(found.clusters)
    groups, k = found.clusters, IMAGINED_YES_NO if found.binary else IMAGINED_GRADED
    grown = 1 + 2 * k / groups
    mean = (found.mean + k / groups) / grown
    spread = found.se**2 * (groups - 1) / groups + (found.mean - mean) ** 2 / groups
    spread += k * ((1 - mean) ** 2 + mean**2) / groups**2
    se2 = spread / grown**2 * (groups + 2 * k) / (groups + 2 * k - 1)
    n_eff = max(mean * (1 - mean) / se2 / grown, 1.0)
    if found.binary:
        n_eff = min(n_eff, float(found.trials))
        if found.trials == groups:
            return n_eff
    q = 1 - alpha / 2
    ratio = t_quantile(q, max(n_eff, found.trials) - 1) / t_quantile(q, groups - 1)
    return min(n_eff * ratio**2, float(found.trials)) if found.binary else n_eff * ratio**2
