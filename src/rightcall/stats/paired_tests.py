"""Is B different from A on the same cases? Tests and intervals for paired results.

b counts cases that A passed and B failed, c those that A failed and B passed.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import accumulate
from typing import NamedTuple

from rightcall.core.errors import InputError
from rightcall.stats.clusters import cluster_se, weighted_mean
from rightcall.stats.intervals import Interval, require_share, t_interval
from rightcall.stats.special import binomial_cdf, binomial_pmf, normal_quantile, t_sf


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact p = min(1, 2 P(Bin(b+c, ½) ≤ min(b, c))); 1 when nothing changed. McNemar (1947)."""
    _require_discordant(b, c)
    return min(1.0, 2 * binomial_cdf(min(b, c), b + c, 0.5)) if b + c else 1.0


def mcnemar_midp(b: int, c: int) -> float:
    """Mid-p 2F(min) − f(min): less conservative than the exact p, for information. Fagerland et al. (2013)."""
    _require_discordant(b, c)
    if b == c:
        return 1.0
    low = min(b, c)
    n = b + c
    return 2 * binomial_cdf(low, n, 0.5) - binomial_pmf(low, n, 0.5)


class Normal(NamedTuple):
    """An estimate treated as normal: its centre and standard error."""

    mean: float
    se: float


def bonett_price_estimate(n: float, b: float, c: float) -> Normal:
    """Centre (c−b)/(n+2) and √(((b+1)+(c+1))/(n+2) − centre²)/√(n+2): one case added to b and to c.

    Fractional b and c (the sums of falls and rises) stay conservative, since d² ≤ |d| for |d| ≤ 1.
    """
    if n < 1 or b < 0 or c < 0 or b + c > n + 1e-9:
        raise InputError("bonett_price", f"b and c must be counts within n, got n {n}, b {b}, c {c}")
    wide = n + 2
    centre = (c - b) / wide
    return Normal(centre, math.sqrt(((b + c + 2) / wide - centre**2) / wide))


def shrunk_difference(mean: float, se: float, clusters: int) -> Normal:
    """Bonett and Price's idea for trials, clusters and graded scores: one +1 and one −1 are added.

    With G clusters and D' = D·G/(G+2): SE'² = (Σ_g (d_g−D')² + (1−D')² + (1+D')²)/(G+2)², the sum over
    clusters taken from the CR1 error. For single yes/no trials it is `bonett_price_estimate`. A run in which
    hardly anything changed has almost no spread, which shows little; without the two, 20 goldens would
    "prove" that nothing got worse.
    """
    wide = clusters + 2
    centre = mean * clusters / wide
    squares = se**2 * clusters * (clusters - 1) + clusters * (mean - centre) ** 2
    squares += (1 - centre) ** 2 + (1 + centre) ** 2
    return Normal(centre, math.sqrt(squares) / wide)


def bonett_price(n: float, b: float, c: float, conf: float = 0.95) -> Interval:
    """Adjusted Wald interval for p_B − p_A with n pairs.

    Bonett & Price, J. Educational and Behavioral Statistics 37 (2012) 479.
    """
    require_share("bonett_price", "conf", conf)
    centre, se = bonett_price_estimate(n, b, c)
    half = normal_quantile(1 - (1 - conf) / 2) * se
    return Interval(max(-1.0, centre - half), min(1.0, centre + half))


class PairedT(NamedTuple):
    """Mean difference with its CR1 error, t, two-sided p and interval; only the mean with one cluster."""

    mean: float
    se: float | None
    t: float | None
    p: float | None
    interval: Interval | None
    clusters: int


def paired_t(
    d: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
    conf: float = 0.95,
) -> PairedT:
    """D = weighted mean of d_i = p_Bi − p_Ai, SE = CR1, t = D/SE with G−1 degrees of freedom."""
    if not d:
        raise InputError("paired_t", "the runs have no case in common")
    mean = weighted_mean(d, weights)
    se = cluster_se(d, clusters, weights)
    groups = len(d) if clusters is None else len(set(clusters))
    if se is None:
        return PairedT(mean, None, None, None, interval=None, clusters=groups)
    if se == 0:
        return PairedT(mean, 0.0, None, None, interval=Interval(mean, mean), clusters=groups)
    t = mean / se
    return PairedT(
        mean,
        se,
        t,
        2 * t_sf(abs(t), groups - 1),
        interval=t_interval(mean, se, groups - 1, conf),
        clusters=groups,
    )


def fisher_exact(table: Sequence[Sequence[int]]) -> float:
    """Two-sided Fisher p of a 2×2 table: the probability of all tables no likelier than the one seen.

    Whole numbers throughout, so ties are ties. Meant for the few trials of one case. Fisher (1935).
    """
    (a, b), (c, d) = table
    if min(a, b, c, d) < 0:
        raise InputError("fisher_exact", f"counts cannot be negative, got {table}")
    top = a + b
    bottom = c + d
    left = a + c
    first = max(0, left - bottom)
    last = min(top, left)
    ways = [math.comb(top, k) * math.comb(bottom, left - k) for k in range(first, last + 1)]
    seen = ways[a - first]
    return sum(w for w in ways if w <= seen) / math.comb(top + bottom, left)


def _require_discordant(b: int, c: int) -> None:
    if b < 0 or c < 0:
        raise InputError("mcnemar", f"counts cannot be negative, got b {b}, c {c}")


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values: controls the family-wise error rate.

    p̃_(i) = max_{j≤i} min(1, (m−j+1) p_(j)). Holm, Scandinavian J. Statistics 6 (1979) 65.
    """
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted = accumulate((min(1.0, (len(p) - rank) * p[index]) for rank, index in enumerate(order)), max)
    return [value for _, value in sorted(zip(order, adjusted, strict=True))]


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg adjusted p-values: controls the false discovery rate.

    p̃_(i) = min_{j≥i} min(1, m p_(j)/j). Benjamini & Hochberg, JRSS B 57 (1995) 289.
    """
    order = sorted(range(len(p)), key=p.__getitem__, reverse=True)
    ranks = range(len(p), 0, -1)
    shares = (min(1.0, p[index] * (len(p) / rank)) for rank, index in zip(ranks, order, strict=True))
    return [value for _, value in sorted(zip(order, accumulate(shares, min), strict=True))]
