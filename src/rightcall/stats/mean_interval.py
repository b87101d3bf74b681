"""The interval shown with a mean: the one place that chooses it, and Korn-Graubard's interval for trials and clusters.

Wilson for yes/no results of independent cases, Korn-Graubard with repeated trials, clusters or weights, Student's t on
clusters for graded scores. These decide nothing: a gate needs bounds that hold in the worst design, not in
the usual one, and uses `gaffke`.

Counting five trials of one case as five independent cases makes a "5 %" gate wrong 10 to 20 % of the time.
Korn and Graubard keep the Clopper-Pearson form and replace n by the number of independent cases that would
be as informative, n*.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from rightcall.stats.clusters import Sample
from rightcall.stats.intervals import clopper_pearson, t_interval, wilson
from rightcall.stats.special import t_quantile

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
