"""Permutation tests: is the observed difference as extreme as chance makes it when nothing changed?

Sign flips: if A and B are the same, every difference is equally likely to have the other sign.

The exchange test: a golden has t passes in all its m trials, of which m_B are the candidate's. If nothing changed,
every choice of m_B of the m trials is equally likely to be the candidate's, so its number of passes is hypergeometric
(t, m, m_B). Goldens are independent, so the sum over goldens has the convolution of these as its distribution: exact
for any m_A and m_B, where flipping signs is exact only for m_A = m_B.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import chain
from typing import NamedTuple

from rightcall.stats.clusters import cluster_sums

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


DRAWS = 10_000
"""Exchanges drawn when scores are graded and cannot be counted."""


class ExchangeTable(NamedTuple):
    """One golden: its scores in the baseline and the candidate, 0 or 1 or anything between."""

    before: tuple[float, ...]
    after: tuple[float, ...]


def exchange_p(tables: Sequence[ExchangeTable], *, seed: int = 0, draws: int = DRAWS) -> float:
    """P(the candidate's total ≤ the observed one | nothing changed); 1 when there is nothing to compare.

    Exact for scores of 0 and 1, otherwise from `draws` seeded exchanges, the observed one counted among them.
    """
    used = [table for table in tables if table.before and table.after]
    if not used:
        return 1.0
    if all(score in (0, 1) for table in used for scores in table for score in scores):
        return _exact(used)
    return _draw_p(used, random.Random(seed), draws)  # noqa: S311  repeatable, not secret


def _exact(tables: Sequence[ExchangeTable]) -> float:
    # Goldens with equal counts have one law, and most have: its power takes a few multiplications, not one each.
    pools = [((*table.before, *table.after), len(table.after)) for table in tables]
    alike = Counter((int(sum(pool)), len(pool), candidate) for pool, candidate in pools)
    laws = [(*_hypergeometric(*counts), number) for counts, number in alike.items()]
    # Passes that are left to chance; what is above the observed number of them is never needed.
    observed = sum(int(sum(table.after)) for table in tables)
    size = observed - sum(low * number for low, _, number in laws) + 1
    law = [1.0]
    for _, chances, number in laws:
        if len(chances) > 1:
            law = _convolve(law, _power(chances, number, size), size)
    return min(1.0, math.fsum(law[:size]))


def _hypergeometric(t: int, m: int, n: int) -> tuple[int, list[float]]:
    """Passes among n of m trials of which t passed: the least possible number, and the chance of each from there on."""
    low = max(0, n - (m - t))
    high = min(t, n)
    ways = math.comb(m, n)
    return low, [math.comb(t, b) * math.comb(m - t, n - b) / ways for b in range(low, high + 1)]


def _power(law: list[float], number: int, size: int) -> list[float]:
    """The law of the sum of `number` independent variables, by squaring; the first `size` chances of it."""
    if number == 1:
        return law
    half = _power(law, number // 2, size)
    whole = _convolve(half, half, size)
    return _convolve(whole, law, size) if number % 2 else whole


def _convolve(first: list[float], second: list[float], longest: int) -> list[float]:
    long, short = (first, second) if len(first) >= len(second) else (second, first)
    size = min(longest, len(long) + len(short) - 1)
    out = [0.0] * size
    for shift, chance in enumerate(short[:size]):
        end = min(size, shift + len(long))
        out[shift:end] = [sum_ + p * chance for sum_, p in zip(out[shift:end], long, strict=False)]
    return out


def _draw_p(tables: Sequence[ExchangeTable], rng: random.Random, draws: int) -> float:
    observed = math.fsum(chain.from_iterable(table.after for table in tables))
    pools = [((*table.before, *table.after), len(table.after)) for table in tables]
    constant = math.fsum(pool[0] * n for pool, n in pools if len(set(pool)) == 1)
    pools = [(pool, n) for pool, n in pools if len(set(pool)) > 1]
    slack = 1e-9 * max(1.0, abs(observed))
    below = sum(
        constant + math.fsum(math.fsum(rng.sample(pool, n)) for pool, n in pools) <= observed + slack
        for _ in range(draws)
    )
    return (1 + below) / (1 + draws)
