"""Goldens of two runs paired, and the mean difference with its interval, bounds and test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rightcall.decide.golden_outcomes import Outcome, Reading, cluster_key
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


def pair_up(
    a: Sequence[Outcome], b: Sequence[Outcome], metric: str | None, readings: tuple[Reading, Reading]
) -> list[GoldenPair]:
    """The goldens of both runs, by what their trials are worth in the reading of each run."""
    before = {o.golden_id: xs for o in a if (xs := getattr(o, readings[0])(metric))}
    pairs = []
    for new in b:
        if new.golden_id not in before or not (ys := getattr(new, readings[1])(metric)):
            continue
        xs = before[new.golden_id]
        means = sum(xs) / len(xs), sum(ys) / len(ys)
        pairs.append(GoldenPair(new.golden_id, new.category, cluster_key(new), new.weight, *means, (xs, ys)))
    return pairs


NO_DIFFERENCE = Difference(0.0, None, None, Units(()), p=1.0, p_mid=None, method="sign_flip", clusters=0)


class Differences(NamedTuple):
    """The difference of what was answered, and of both ways to count what was not.

    `least` has the trials without an answer as passed before and as failed after, for a claim that something is not
    worse; `most` has them the other way round, for a claim that something is worse.
    """

    pairs: list[GoldenPair]
    answered: Difference
    least: Difference
    most: Difference
    most_pairs: list[GoldenPair]

    @property
    def p(self) -> tuple[float, float | None]:
        """p of no difference and its mid-p, with what was not answered counted against the direction that was seen."""
        mean = self.answered.mean
        counted = self.answered if not mean else self.least if mean > 0 else self.most
        return (counted.p, counted.p_mid) if mean * counted.mean > 0 or not mean else (1.0, None)


NO_DIFFERENCES = Differences([], NO_DIFFERENCE, NO_DIFFERENCE, NO_DIFFERENCE, most_pairs=[])
"""Of runs without a golden in common."""


def differences_of(
    a: Sequence[Outcome], b: Sequence[Outcome], *, metric: str | None, alpha: float, seed: int
) -> Differences:
    """All of it; `NO_DIFFERENCES` when no golden was scored in both runs."""
    pairs = pair_up(a, b, metric, ("scores", "scores"))
    if not pairs:
        return NO_DIFFERENCES
    answered = difference_of(pairs, alpha, seed)
    if not any(outcome.unanswered(metric) for outcome in (*a, *b)):
        return Differences(pairs, answered, answered, answered, most_pairs=pairs)
    most_pairs = pair_up(a, b, metric, ("worst", "best"))
    least = difference_of(pair_up(a, b, metric, ("best", "worst")), alpha, seed)
    return Differences(pairs, answered, least, difference_of(most_pairs, alpha, seed), most_pairs=most_pairs)


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
    single = all(all(len(t) == 1 and t[0] in (0, 1) for t in p.trials) for p in pairs)
    if single and even and groups == len(pairs):
        b = sum(x < 0 for x in d)
        c = sum(x > 0 for x in d)
        interval = bonett_price(len(d), b, c, 1 - alpha)
        careful = bonett_price_estimate(len(d), b, c)
        exact = mcnemar_exact(b, c)
        middle = mcnemar_midp(b, c)
        return Difference(
            test.mean, interval, careful, units, p=exact, p_mid=middle, method="mcnemar", clusters=groups
        )
    shown = test.interval
    if careful is not None and test.se == 0:
        shown = t_interval(careful.mean, careful.se, groups - 1, 1 - alpha)
    if shown is not None:
        shown = Interval(max(-1.0, shown.low), min(1.0, shown.high))
    p = _sign_flip_p(pairs, 0.0, seed)
    return Difference(test.mean, shown, careful, units, p=p, p_mid=None, method="sign_flip", clusters=groups)


def non_inferior(
    differences: Differences, margin: float, alpha: float
) -> tuple[float | None, Interval | None]:
    """p of "worse by more than the margin", and the one-sided bounds of the difference; None with one cluster.

    Gaffke's bound on (1 + difference)/2: that nothing got worse is a claim about goldens not drawn as well.
    """
    if differences.answered.clusters < 2:
        return None, None
    least = differences.least.units
    most = differences.most.units
    p = gaffke_p_values(least, (1 - margin) / 2)[0]
    return p, Interval(2 * gaffke_bounds(least, alpha).low - 1, 2 * gaffke_bounds(most, alpha).high - 1)


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
