"""Trials inside cases inside clusters: the mean with equal weight per case, and its standard error.

Notation: case i has m_i trials x_ij, p_i = mean of its trials, S = Σ w_i p_i / Σ w_i. Trials of one case are
not independent, so the error is computed from G clusters (the cases themselves, unless they are grouped).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from rightcall.core.errors import InputError
from rightcall.stats.intervals import clopper_pearson, t_interval, wilson
from rightcall.stats.special import t_quantile

Trials = Mapping[str, Sequence[float]] | Iterable[Sequence[float]]
"""The scores of each case's trials, by case or in a list; every case has at least one."""

_ROUNDING = 1e-13
"""An error below this is rounding noise of equal values."""


class Sample(NamedTuple):
    """Summary statistics of a set of cases, for intervals and tests.

    `se` is None when there is one cluster: its error is unknown, not zero. `plain` says that the cases are
    independent single trials of equal weight, so that the binomial distribution holds exactly.
    """

    mean: float
    se: float | None
    cases: int
    trials: int
    clusters: int
    binary: bool
    plain: bool


def sample(
    trials: Trials,
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
) -> Sample:
    """Sum up trials; `clusters` and `weights` hold one entry for each case, in the same order."""
    lists = list(trials.values() if isinstance(trials, Mapping) else trials)
    if not lists or not all(lists):
        raise InputError("sample", "every case needs at least one scored trial", "remove the others")
    means = [xs[0] if len(xs) == 1 else math.fsum(xs) / len(xs) for xs in lists]
    mean = weighted_mean(means, weights)
    total = sum(map(len, lists))
    groups = len(lists) if clusters is None else len(set(clusters))
    even = weights is None or len(set(weights)) == 1
    return Sample(
        mean=mean,
        se=cluster_se(means, clusters, weights),
        cases=len(lists),
        trials=total,
        clusters=groups,
        binary=all(all(x in (0, 1) for x in xs) for xs in lists),
        plain=even and total == len(lists) == groups,
    )


def weighted_mean(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """S = Σ w_i p_i / Σ w_i; equal weights when none are given."""
    if weights is None:
        return math.fsum(values) / len(values)
    return math.fsum(w * v for w, v in zip(weights, values, strict=True)) / math.fsum(weights)


def cluster_se(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
) -> float | None:
    """The CR1 standard error of the weighted mean of `values`, None with fewer than two clusters.

    SE² = G/(G−1) Σ_g (Σ_{i∈g} r_i)² / W², r_i = w_i (p_i − S), W = Σ w_i. Without clusters and weights this
    is sd(ddof=1)/√n. Liang & Zeger, Biometrika 73 (1986) 13; Cameron & Miller, J. Human Res. 50 (2015) 317.
    """
    if not values:
        return None
    centre = weighted_mean(values, weights)
    residuals = [v - centre for v in values]
    if weights is not None:
        residuals = [w * r for w, r in zip(weights, residuals, strict=True)]
    if clusters is not None:
        residuals = cluster_sums(residuals, clusters)
    groups = len(residuals)
    if groups < 2:
        return None
    total = len(values) if weights is None else math.fsum(weights)
    squares = math.fsum(r * r for r in residuals)
    se = math.sqrt(groups / (groups - 1) * squares) / total
    return se if se > _ROUNDING else 0.0


def cluster_sums(values: Sequence[float], clusters: Sequence[Hashable]) -> list[float]:
    """Σ of the values of each cluster, clusters in the order of their first appearance."""
    members: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    return [math.fsum(group) for group in members.values()]


Method = Literal["wilson", "korn_graubard", "t"]


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


def estimate(scores: Sample, conf: float = 0.95) -> Estimate:
    """The interval to show with a mean: Wilson, Korn-Graubard or t, whichever the sample allows."""
    method = method_for(scores)
    if method == "wilson":
        low, high = wilson(scores.mean * scores.cases, scores.cases, conf)
    elif method == "korn_graubard":
        n = effective_n(scores, conf)
        low, high = clopper_pearson(scores.mean * n, n, conf)
    else:
        low, high = t_interval(scores.mean, scores.se or 0.0, scores.clusters - 1, conf)
        low = max(0.0, low)
        high = min(1.0, high)
    counts = (scores.cases, scores.trials, scores.clusters)
    return Estimate(scores.mean, low, high, method, *counts, scores.se)


def method_for(scores: Sample) -> Method:
    """Graded scores whose spread is unknown or zero fall back on the binomial form.

    No variable in [0, 1] varies more than a yes/no one with the same mean, so this is the conservative
    choice; a zero-width interval would be wrong.
    """
    if scores.binary:
        return "wilson" if scores.plain else "korn_graubard"
    return "t" if scores.se else "korn_graubard"


def effective_n(scores: Sample, conf: float = 0.95) -> float:
    """n* = min(N, n_eff (t_{N−1}/t_{G−1})²), t at 1−(1−conf)/2; n_eff = S(1−S)/SE² clipped to [1, N].

    When all pass or all fail, SE carries no information and n* = G, the number of clusters. The ratio of t
    quantiles accounts for estimating the error from only G clusters; it is 1 when N = G.
    """
    if scores.plain:
        return float(scores.cases)
    if scores.se is None or scores.se <= 0 or not 0 < scores.mean < 1:
        return float(scores.clusters)
    n_eff = min(max(scores.mean * (1 - scores.mean) / scores.se**2, 1.0), float(scores.trials))
    if scores.trials == scores.clusters:
        return n_eff
    q = 1 - (1 - conf) / 2
    ratio = t_quantile(q, scores.trials - 1) / t_quantile(q, scores.clusters - 1)
    return min(float(scores.trials), n_eff * ratio**2)
