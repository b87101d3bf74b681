"""The percentile interval of a cluster bootstrap."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Hashable, Iterable, Sequence

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
    return central_interval(_means(totals, sizes, rng, resamples), conf)


def central_interval(draws: Iterable[float], conf: float) -> Interval:
    """What is left of draws when a share of (1−conf)/2 is cut off at either end."""
    ordered, tail = sorted(draws), (1 - conf) / 2
    return Interval(quantile_of_sorted(ordered, tail), quantile_of_sorted(ordered, 1 - tail))


def quantile_of_sorted(ordered: Sequence[float], q: float) -> float:
    """The smallest value with at least a share q of the ordered values at or below it."""
    return ordered[max(0, math.ceil(q * len(ordered) - 1e-9) - 1)]


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
