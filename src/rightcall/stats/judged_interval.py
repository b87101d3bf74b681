"""The rate that people would give, from strata of a judge's answer, and the interval that is shown with it.

    rate = Σ (N_c/N) k_c/n_c v    = Σ (N_c/N)² p̃_c(1−p̃_c)/n_c · (1 − n_c/N_c)  [+ rate(1−rate)/N about cases like
    these],  p̃_c = (k_c+½)/(n_c+1) m*   = rate(1−rate)/v, and Clopper-Pearson on m*·rate of m*

For one yes/no verdict the rate is that of prediction-powered inference with its tuned λ (Angelopoulos, Duchi & Zrnic,
arXiv:2311.01453): λ is a least-squares slope, and regression on a yes/no variable gives the means of its two cells.
Unlike it, this never leaves [0, 1], and takes votes, several judges and missing verdicts as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rightcall.stats.intervals import Interval, clopper_pearson
from rightcall.stats.judged_strata import LabelStratum

About = Literal["cases_like_these", "these_cases"]


class StratumMean(NamedTuple):
    """A stratum of values in [0, 1]: number of cases, of labels, mean of the labelled and its smoothed variance."""

    cases: int
    labels: int
    mean: float
    variance: float


class ShownInterval(NamedTuple):
    """A rate with its interval, and the number of plain labels that would be worth as much."""

    rate: float
    low: float
    high: float
    effective_labels: float


def stratum_mean(stratum: LabelStratum) -> StratumMean:
    """Mean and variance of a stratum's labels.

    The variance has half a pass and half a failure added, so that equal labels do not look certain.
    """
    n = stratum.labels
    k = stratum.passed
    smooth = (k + 0.5) / (n + 1)
    return StratumMean(stratum.cases, n, k / n if n else 0.0, smooth * (1 - smooth))


def weighted_rate(strata: Sequence[StratumMean]) -> float:
    """Σ (N_c/N) k_c/n_c."""
    total = sum(stratum.cases for stratum in strata)
    return min(1.0, max(0.0, math.fsum(stratum.cases / total * stratum.mean for stratum in strata)))


def shown_interval(
    strata: Sequence[StratumMean],
    about: About,
    conf: float,
    *,
    cluster: float = 1.0,
) -> ShownInterval:
    """The rate over the strata and its two-sided interval. A stratum whose labels are all of its cases adds no doubt.

    `cluster` is Σ n_g²/N, 1 when every case is drawn by itself: trials of a golden may all go together.
    """
    rate = weighted_rate(strata)
    inverse = inverse_size(strata, about, cluster=cluster)
    cases = sum(stratum.cases for stratum in strata)
    if inverse <= 0:
        return ShownInterval(rate, rate, rate, float(cases))
    bounds = _fractional_interval(rate, 1 / inverse, conf)
    return ShownInterval(rate, *bounds, 1 / (inverse if about == "cases_like_these" else inverse + 1 / cases))


def inverse_size(strata: Sequence[StratumMean], about: About, *, cluster: float = 1.0) -> float:
    """1/m* = v/(rate(1−rate)): one by the number of plain cases that would leave as much doubt; 0 for none."""
    cases = sum(stratum.cases for stratum in strata)
    sampled = [stratum for stratum in strata if stratum.labels < stratum.cases]
    rate = weighted_rate(strata)
    within = rate * (1 - rate)
    from_cases = cluster / cases if about == "cases_like_these" else 0.0
    if within <= 0 or len(strata) == 1:
        open_cases = sum(s.cases for s in sampled)
        labels = sum(s.labels for s in sampled)
        return ((open_cases - labels) / cases / labels if open_cases else 0.0) + from_cases
    doubts = [(s.cases / cases) ** 2 * s.variance / s.labels * (1 - s.labels / s.cases) for s in sampled]
    return (math.fsum(doubts) + within * from_cases) / within


def _fractional_interval(rate: float, size: float, conf: float) -> Interval:
    """Clopper-Pearson for a share of a fractional number of cases; the rate always lies within."""
    low, high = clopper_pearson(min(size, size * rate), size, conf)
    return Interval(min(low, rate), max(high, rate))
