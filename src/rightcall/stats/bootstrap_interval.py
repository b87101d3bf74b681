"""Distribution-free intervals: cluster bootstrap, and betting against every possible mean."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Hashable, Sequence

from rightcall.core.errors import InputError
from rightcall.stats.clusters import cluster_sums
from rightcall.stats.intervals import Interval, require_share

RESAMPLES = 10_000
_EXACT_UP_TO = 6
_WORK = 20_000_000


def bootstrap(
    values: Sequence[float],
    conf: float = 0.95,
    *,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    resamples: int | None = None,
) -> Interval:
    """Percentile interval of the mean over resampled clusters, quantiles by the inverted CDF.

    Up to six clusters all G^G resamples are enumerated, otherwise B = 10,000 are drawn from `seed` (less, never
    under 1,000, beyond 2,000 clusters). Efron & Tibshirani (1993) ch. 13.
    """
    require_share("bootstrap", "conf", conf)
    if not values:
        raise InputError("bootstrap", "no values")
    labels = clusters if clusters is not None else range(len(values))
    totals = cluster_sums(values, labels)
    sizes = cluster_sums([1.0] * len(values), labels)
    rng = random.Random(seed)  # noqa: S311  repeatable, not secret
    means = sorted(_means(totals, sizes, rng, resamples))
    tail = (1 - conf) / 2
    return Interval(quantile_of_sorted(means, tail), quantile_of_sorted(means, 1 - tail))


def quantile_of_sorted(ordered: Sequence[float], q: float) -> float:
    """The smallest value with at least a share q of the ordered values at or below it."""
    return ordered[max(0, math.ceil(q * len(ordered) - 1e-9) - 1)]


def interval_by_bets(values: Sequence[float], conf: float = 0.95) -> Interval:
    """Interval for the mean of independent values in [0, 1], valid for any sample size and shape.

    A mean m is kept while both betting martingales against it stay small: ½ Π(1 + λ_i(x_i − m)) and
    ½ Π(1 − λ_i(x_i − m)) stay below 1/α; λ_i = √(2 ln(2/α)/(n σ̂²_{i−1})), cut to ½/m and ½/(1−m), depends only
    on earlier values. Waudby-Smith & Ramdas, JRSS B 86 (2024) 1, theorem 3. Depends on the order of values:
    pass them in random order.
    """
    require_share("betting_interval", "conf", conf)
    if not all(0 <= x <= 1 for x in values):
        raise InputError("betting_interval", "all values must lie between 0 and 1")
    if not values:
        return Interval(0.0, 1.0)
    alpha = 1 - conf
    bets = _bets(values, alpha)
    centre = math.fsum(values) / len(values)
    limit = math.log(2 / alpha)

    def is_plausible(m: float) -> bool:
        return max(_log_capital(values, bets, m)) < limit

    return Interval(_edge(is_plausible, centre, 0.0), _edge(is_plausible, centre, 1.0))


def _means(totals: list[float], sizes: list[float], rng: random.Random, resamples: int | None) -> list[float]:
    groups = len(totals)
    if groups <= _EXACT_UP_TO:
        picks = itertools.product(range(groups), repeat=groups)
        return [sum(totals[i] for i in pick) / sum(sizes[i] for i in pick) for pick in picks]
    draws = resamples or max(1_000, min(RESAMPLES, _WORK // groups))
    if len(set(sizes)) == 1:
        scale = 1 / (sizes[0] * groups)
        return [sum(rng.choices(totals, k=groups)) * scale for _ in range(draws)]
    means = []
    for _ in range(draws):
        pick = rng.choices(range(groups), k=groups)
        means.append(sum([totals[i] for i in pick]) / sum([sizes[i] for i in pick]))
    return means


def _bets(values: Sequence[float], alpha: float) -> list[float]:
    """λ_i before truncation, from the mean and variance of the values before i (shrunk towards ½ and ¼)."""
    bets, n = [], len(values)
    total, squares = 0.5, 0.25
    for i, x in enumerate(values, start=1):
        bets.append(math.sqrt(2 * math.log(2 / alpha) / (n * squares / i)))
        total += x
        squares += (x - total / (i + 1)) ** 2
    return bets


def _log_capital(values: Sequence[float], bets: Sequence[float], m: float) -> tuple[float, float]:
    up = down = 0.0
    most_up, most_down = 0.5 / m if m > 0 else math.inf, 0.5 / (1 - m) if m < 1 else math.inf
    for x, bet in zip(values, bets, strict=True):
        up += math.log1p(min(bet, most_up) * (x - m))
        down += math.log1p(-min(bet, most_down) * (x - m))
    return up, down


def _edge(kept: Callable[[float], bool], inside: float, outside: float) -> float:
    """Bisect for the last kept mean between one that is kept and the end of the scale."""
    if kept(outside):
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if kept(middle) else (inside, middle)
    return inside
