"""Gaffke's bound: what n values in [0, 1] show about their mean, whatever their distribution.

D ~ Dirichlet(1, …, 1) has one part for each unit and one more, D₀, for what was not drawn: it weighs the worst
value, 0 for the lower bound and 1 for the upper one. The lower bound is the α-quantile of Σ D_i x_i, so the
p-value against "the mean is below θ" is P(Σ D_i x_i ≤ θ). For values of 0 and 1 this *is* Clopper-Pearson.
However little the values vary, n of them never show more than n flawless ones, which no estimate of a
variance can guarantee: it does not account for what was not sampled.

Units of unequal size n_c (clusters, weights) with sums S_c: Σ D_c S_c / (Σ D_c n_c + D₀ n₀), n₀ = max n_c. The unit not
drawn must be as large as the largest: S_c − θ n_c then lies between −θ n₀ and (1−θ) n₀ for every unit, and it is the
same bound on those. Smaller choices fail when a few large units are the hard ones: with 76 clusters of one and three of
14 that pass or fail as a whole, n₀ = Σ n_c²/Σ n_c lets 11 % of runs at the threshold pass, the mean size more.

Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable" (2005);
Learned-Miller & Thomas, arXiv:1905.06208. It held in every published simulation and in ours
(`python -m benchmarks.operating`); it is a theorem in special cases only, of which yes/no results are one.
"""

from __future__ import annotations

import cmath
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from rightcall.stats.intervals import (
    Interval,
    clopper_pearson_bounds,
    clopper_pearson_p_values,
    require_share,
)
from rightcall.stats.special import normal_quantile

Terms = Sequence[tuple[float, int]]
"""(a, k): a weight and the number of exponentials that have it."""

_FLAT = 1e-15
_HANDFUL = 32
"""Factors multiplied before a logarithm is taken: few enough never to overflow."""
_MOST_HALVINGS = 14
_FARTHEST = 60.0


def probability_below_zero(terms: Terms, tolerance: float = 1e-11) -> float:
    """P(Σ a_j Γ_j < 0) with relative error about `tolerance`, for the smaller tail."""
    largest = max((abs(a) for a, _ in terms), default=0.0)
    scaled = [(a / largest, k) for a, k in terms if abs(a) > _FLAT * largest]
    if not any(a > 0 for a, _ in scaled):
        return 1.0
    if not any(a < 0 for a, _ in scaled):
        return 0.0
    if sum(a * k for a, k in scaled) > 0:
        return min(1.0, _tail(scaled, tolerance))
    return max(0.0, 1 - _tail([(-a, k) for a, k in scaled], tolerance))


def _tail(terms: Terms, tolerance: float) -> float:
    """P(Q < 0) for a Q whose mean is positive."""
    c, curvature = _saddle(terms)
    moment = _Moment(terms)
    at_saddle = moment.log(complex(c)).real
    width = 1 / math.sqrt(curvature)

    def height(t: float) -> float:
        # s = c + i·width·sinh t: the integrand falls off exponentially in t even where M is a short product
        s = complex(c, width * math.sinh(t))
        return (cmath.exp(moment.log(s) - at_saddle) * c / s).real * math.cosh(t)

    step = 0.5
    cut = tolerance * 1e-2
    total = 0.5 + _sum(height, step, step, cut)
    value = total * step
    for _ in range(_MOST_HALVINGS):
        total += _sum(height, step / 2, step, cut)
        step /= 2
        before = value
        value = total * step
        # Halving the step squares the error of a geometric rule, so a small change makes the next negligible.
        if abs(value - before) <= 0.1 * math.sqrt(tolerance) * abs(value):
            break
    return value * width * math.exp(at_saddle) / (math.pi * -c)


def _sum(height: Callable[[float], float], start: float, step: float, cut: float) -> float:
    """Σ height(start + j·step) until the terms no longer matter."""
    total = 0.0
    t = start
    while t < _FARTHEST:
        h = height(t)
        total += h
        if abs(h) < cut * abs(total) and t > 1:
            break
        t += step
    return total


def _saddle(terms: Terms) -> tuple[float, float]:
    """The minimum c < 0 of ln M(s) − ln(−s), which is convex there, and its second derivative."""
    low = 1 / min(a for a, _ in terms)
    high = 0.0
    s = low / 2
    curve = 1.0
    for _ in range(100):
        slope = -1 / s
        curve = 1 / (s * s)
        for a, k in terms:
            r = a / (1 - a * s)
            slope += k * r
            curve += k * r * r
        low, high = (s, high) if slope < 0 else (low, s)
        following = s - slope / curve
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - s) < 1e-4 * abs(s):
            break
        s = following
    return s, curve


class _Moment:
    """ln M(s) up to a multiple of 2πi; weights that occur once share one logarithm for a handful of factors."""

    def __init__(self, terms: Terms) -> None:
        self._repeated = [(a, k) for a, k in terms if k > 1]
        single = [a for a, k in terms if k == 1]
        self._single = [single[i : i + _HANDFUL] for i in range(0, len(single), _HANDFUL)]

    def log(self, s: complex) -> complex:
        total = 0j
        for a, k in self._repeated:
            total -= k * cmath.log(1 - a * s)
        for some in self._single:
            total -= cmath.log(math.prod([1 - a * s for a in some]))
        return total


_DIGITS = 12
_EXACT = 1e-11
_CLOSE = 1e-11


class Units(NamedTuple):
    """Independent units: how often each (size, sum) occurs, and the size given to the one not drawn."""

    counts: tuple[tuple[float, float, int], ...]
    unseen: float = 1.0

    @property
    def number(self) -> int:
        """How many there are."""
        return sum(k for _, _, k in self.counts)

    @property
    def mean(self) -> float:
        """Σ S_c / Σ n_c."""
        return sum(s * k for _, s, k in self.counts) / sum(n * k for n, _, k in self.counts)

    @property
    def yes_no(self) -> tuple[int, int] | None:
        """(passes, units) when all have the same size and are 0 or 1 as a whole, else None."""
        sizes = {n for n, _, _ in self.counts}
        if len(sizes) > 1 or any(s not in (0, n) for n, s, _ in self.counts):
            return None
        return sum(k for _, s, k in self.counts if s), sum(k for _, _, k in self.counts)


def units(values: Iterable[float], sizes: Sequence[float] | None = None) -> Units:
    """Units from their mean values and, if they are unequal, their sizes; equal ones are counted together."""
    if sizes is None or len(set(sizes)) == 1:
        tally = Counter((1.0, round(v, _DIGITS)) for v in values)
        return Units(tuple((n, s, k) for (n, s), k in tally.items()))
    tally = Counter((round(n, _DIGITS), round(n * v, _DIGITS)) for v, n in zip(values, sizes, strict=True))
    return Units(tuple((n, s, k) for (n, s), k in tally.items()), max(n for n, _ in tally))


def case_units(
    trials: Iterable[Sequence[float]],
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
) -> Units:
    """One unit for each case, the mean of its trials; or for each cluster, with the size of all its cases.

    A case whose cluster is None is a unit by itself.
    """
    values = [xs[0] if len(xs) == 1 else math.fsum(xs) / len(xs) for xs in trials]
    if clusters is None:
        return units(values, weights)
    means: list[float] = []
    shares: list[float] = []
    sizes: dict[Hashable, float] = {}
    sums: dict[Hashable, float] = {}
    for i, (value, cluster) in enumerate(zip(values, clusters, strict=True)):
        weight = 1.0 if weights is None else weights[i]
        if cluster is None:
            means.append(value)
            shares.append(weight)
        else:
            sizes[cluster] = sizes.get(cluster, 0.0) + weight
            sums[cluster] = sums.get(cluster, 0.0) + weight * value
    means += [sums[cluster] / size for cluster, size in sizes.items()]
    return units(means, [*shares, *sizes.values()])


def trial_units(trials: Iterable[Sequence[float]], weights: Sequence[float] | None = None) -> Units:
    """One unit for each trial: for claims about exactly these cases, where nothing but the trials is random.

    A case has the same weight regardless of its number of trials. With equal trials of yes and no this is
    Clopper-Pearson on all of them: a sum of independent unequal yes/no variables is at least as concentrated
    as a binomial one of the same mean on the side a decision needs (Hoeffding, Ann. Math. Stat. 27 (1956)
    713).
    """
    values: list[float] = []
    shares: list[float] = []
    for i, xs in enumerate(trials):
        values += xs
        shares += [(1.0 if weights is None else weights[i]) / len(xs)] * len(xs)
    return units(values, shares)


def gaffke_p_values(sample_units: Units, theta: float, tolerance: float = _EXACT) -> tuple[float, float]:
    """(against "the mean is below θ", against "it is θ or more"): P(lower ≤ θ) and P(upper ≥ θ), exactly.

    The first is ≤ α exactly when the lower bound reaches θ, the second is < α exactly when the upper bound is below.
    """
    require_share("gaffke_p_values", "theta", theta)
    if whole := sample_units.yes_no:
        return clopper_pearson_p_values(*whole, theta)
    return _below(sample_units, theta, tolerance), _above(sample_units, theta, tolerance)


def gaffke_bounds(sample_units: Units, alpha: float = 0.05) -> Interval:
    """One-sided lower and upper bound at 1−α each."""
    require_share("gaffke_bounds", "alpha", alpha)
    if whole := sample_units.yes_no:
        return clopper_pearson_bounds(*whole, alpha)
    mean = sample_units.mean
    low = root_of_rising(lambda theta: _below(sample_units, theta, _EXACT), mean, alpha)
    high = 1 - root_of_rising(lambda theta: _above(sample_units, 1 - theta, _EXACT), 1 - mean, alpha)
    return Interval(low, high)


def _below(sample_units: Units, theta: float, tolerance: float) -> float:
    terms = [(s - theta * n, k) for n, s, k in sample_units.counts]
    return probability_below_zero([*terms, (-theta * sample_units.unseen, 1)], tolerance)


def _above(sample_units: Units, theta: float, tolerance: float) -> float:
    terms = [(theta * n - s, k) for n, s, k in sample_units.counts]
    return probability_below_zero([*terms, ((theta - 1) * sample_units.unseen, 1)], tolerance)


def root_of_rising(p_at: Callable[[float], float], top: float, alpha: float) -> float:
    """The θ in [0, top] where p, which rises with θ, reaches alpha; `top` when it never does.

    Secant steps inside a shrinking bracket, on the scale of normal quantiles, where p is nearly straight.
    """
    quantile = normal_quantile(alpha)

    def off(theta: float) -> float:
        return normal_quantile(min(max(p_at(theta), 1e-290), 1 - 1e-15)) - quantile

    low = 0.0
    high = top
    if high <= low or off(high) <= 0:
        return top
    theta = top * 0.98
    value = off(top * 0.98)
    slope = 0.0
    for _ in range(200):
        low, high = (theta, high) if value < 0 else (low, theta)
        step = value / slope if slope > 0 else math.inf
        following = theta - step
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - theta) < _CLOSE:
            return following
        now = off(following)
        slope = (now - value) / (following - theta)
        theta = following
        value = now
    return theta
