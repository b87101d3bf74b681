"""Goldens of two runs paired, and the mean difference with its interval, bounds and test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rightcall.decide.outcome import Outcome, cluster_key
from rightcall.stats.gaffke import Units, case_units, gaffke_bounds, gaffke_p_values
from rightcall.stats.intervals import Interval, t_interval
from rightcall.stats.paired_tests import (
    Normal,
    bonett_price,
    bonett_price_estimate,
    mcnemar_exact,
    mcnemar_midp,
    paired_t,
    shrunk_difference,
)
from rightcall.stats.permutation import sign_flip


class GoldenPair(NamedTuple):
    """One golden in both runs: the means of its trials, a before and b after, and the trials themselves."""

    golden_id: str
    category: str
    cluster: tuple[str, str]
    weight: float
    a: float
    b: float
    trials: tuple[tuple[float, ...], tuple[float, ...]]


class Difference(NamedTuple):
    """The mean of b − a with its error.

    `units` hold (1 + b − a)/2 of each cluster, for claims that nothing got worse. `careful` is a normal estimate of
    the mean, for the detectable difference; it and `interval` are None with one cluster.
    """

    mean: float
    interval: Interval | None
    careful: Normal | None
    units: Units
    p: float
    p_mid: float | None
    method: Literal["mcnemar", "sign_flip"]
    clusters: int


NO_DIFFERENCE = Difference(0.0, None, None, Units(()), 1.0, None, "sign_flip", 0)
"""Of runs without a golden in common."""


def pair_up(
    a: Sequence[Outcome], b: Sequence[Outcome], metric: str | None
) -> tuple[list[GoldenPair], tuple[str, ...], tuple[str, ...]]:
    """The goldens scored in both runs, and the ids missing on either side."""
    before = {o.golden_id: o for o in a if o.scores(metric)}
    after = {o.golden_id: o for o in b if o.scores(metric)}
    pairs = []
    for golden_id, new in after.items():
        if old := before.get(golden_id):
            xs, ys = old.scores(metric), new.scores(metric)
            means = sum(xs) / len(xs), sum(ys) / len(ys)
            pairs.append(GoldenPair(golden_id, new.category, cluster_key(new), new.weight, *means, (xs, ys)))
    only_a = tuple(o.golden_id for o in a if o.golden_id not in after)
    only_b = tuple(o.golden_id for o in b if o.golden_id not in before)
    return pairs, only_a, only_b


def difference_of(pairs: Sequence[GoldenPair], alpha: float, seed: int) -> Difference:
    """Bonett-Price and McNemar for single yes/no trials, else t and sign flips over clusters."""
    d = [p.b - p.a for p in pairs]
    labels = [p.cluster for p in pairs]
    weights = [p.weight for p in pairs]
    even = len(set(weights)) == 1
    groups = len(set(labels))
    units = case_units([((1 + x) / 2,) for x in d], labels, weights)
    test = paired_t(d, labels, None if even else weights, 1 - alpha)
    careful = None if test.se is None else shrunk_difference(test.mean, test.se, groups)
    single = all(len(t) == 1 and t[0] in (0, 1) for p in pairs for t in p.trials)
    if single and even and groups == len(pairs):
        b, c = sum(x < 0 for x in d), sum(x > 0 for x in d)
        interval = bonett_price(len(d), b, c, 1 - alpha)
        careful = bonett_price_estimate(len(d), b, c)
        exact, middle = mcnemar_exact(b, c), mcnemar_midp(b, c)
        return Difference(test.mean, interval, careful, units, exact, middle, "mcnemar", groups)
    shown = test.interval
    if careful is not None and test.se == 0:
        shown = t_interval(careful.mean, careful.se, groups - 1, 1 - alpha)
    if shown is not None:
        shown = Interval(max(-1.0, shown.low), min(1.0, shown.high))
    p = _sign_flip_p(pairs, 0.0, seed)
    return Difference(test.mean, shown, careful, units, p, None, "sign_flip", groups)


def non_inferior(difference: Difference, margin: float, alpha: float) -> tuple[float | None, Interval | None]:
    """p of "worse by more than the margin", and the one-sided bounds of the difference; None with one cluster.

    Gaffke's bound on (1 + difference)/2: that nothing got worse is a claim about goldens not drawn as well.
    """
    if difference.clusters < 2:
        return None, None
    low, high = gaffke_bounds(difference.units, alpha)
    p = gaffke_p_values(difference.units, (1 - margin) / 2)[0]
    return p, Interval(2 * low - 1, 2 * high - 1)


def worse_by_more(pairs: Sequence[GoldenPair], difference: Difference, margin: float, seed: int) -> float:
    """p of "not worse by more than the margin": the exact test, and with a margin the same for differences from it.

    1 unless the mean is below −margin. With a margin both tests must agree, so a drop within it is never a regression.
    """
    if difference.mean >= -margin:
        return 1.0
    return max(difference.p, _sign_flip_p(pairs, margin, seed)) if margin else difference.p


def _sign_flip_p(pairs: Sequence[GoldenPair], margin: float, seed: int) -> float:
    """Two-sided p of the sign-flip test of b − a + margin over clusters."""
    shifted = [p.weight * (p.b - p.a + margin) for p in pairs]
    return sign_flip(shifted, seed, clusters=[p.cluster for p in pairs])
