"""Sign-flip permutation test: if A and B are the same, every difference is equally likely to have the other sign."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Sequence

from rightcall.stats.sample import cluster_sums

EXACT_UP_TO = 16
RESAMPLES = 10_000
_WORK = 5_000_000
_SLACK = 1e-12


def sign_flip(
    d: Sequence[float],
    seed: int = 0,
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int | None = None,
) -> float:
    """Two-sided p for "the mean of d is 0"; signs are flipped by whole clusters, T = |Σ d|.

    Up to 16 clusters with a difference every pattern of signs is counted: p = #{|T*| ≥ |T|}/2^G. Beyond,
    B patterns are drawn from `seed`: p = (1 + #{|T*| ≥ |T|})/(B + 1), never 0 (Phipson & Smyth 2010).
    B is 10,000, or less (never under 1,000) when there are many distinct differences.
    Fisher (1935); Winkler et al., NeuroImage 92 (2014) 381.
    """
    sums = list(d) if clusters is None else cluster_sums(d, clusters)
    moved = [abs(s) for s in sums if abs(s) > _SLACK]
    seen = abs(math.fsum(sums)) - _SLACK
    if not moved:
        return 1.0
    if len(moved) <= EXACT_UP_TO:
        return _enumerate(moved, seen)
    rng = random.Random(seed)  # noqa: S311  repeatable, not secret
    return _draw(moved, seen, rng, resamples)


def _enumerate(sizes: list[float], seen: float) -> float:
    totals = [sizes[0]]  # the first sign is fixed: the other half of the patterns mirrors this one
    for size in sizes[1:]:
        totals = [t + size for t in totals] + [t - size for t in totals]
    return sum(abs(t) >= seen for t in totals) / len(totals)


def _draw(sizes: list[float], seen: float, rng: random.Random, resamples: int | None) -> float:
    """Equal sizes are flipped together: k coins are the bits of one random number, counted at once."""
    alike = Counter(round(size, 12) for size in sizes)
    many = [(size, count) for size, count in alike.items() if count > 1]
    single = [size for size, count in alike.items() if count == 1]
    tables = [_table(single[i : i + 8]) for i in range(0, len(single), 8)]
    draws = resamples or max(1_000, min(RESAMPLES, _WORK // (len(many) + len(tables))))
    hits = 0
    for _ in range(draws):
        total = 0.0
        for size, count in many:
            total += size * (2 * rng.getrandbits(count).bit_count() - count)
        if tables:
            bits = rng.randbytes(len(tables))
            total += sum([table[byte] for table, byte in zip(tables, bits, strict=True)])
        hits += abs(total) >= seen
    return (1 + hits) / (draws + 1)


def _table(sizes: list[float]) -> list[float]:
    """The signed sum of up to eight sizes for each of the 256 patterns of signs."""
    sums = [0.0]
    for size in sizes:
        sums = [s + size for s in sums] + [s - size for s in sums]
    return sums * (256 // len(sums))
