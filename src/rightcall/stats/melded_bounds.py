"""The one-sided bounds that decide about a judged rate: melded Clopper-Pearson (Fay, Proschan & Brittain, Biometrics
71 (2015) 146).

For the lower bound every stratum has p_c ~ Beta(k_c, n_c−k_c+1), independently, and its unlabelled cases pass U_c ~
Binomial(N_c−n_c, p_c) of them. K = Σ k_c + U_c. About these cases the bound is the α-quantile of K/N; about cases
like these, of θ ~ Beta(K, N−K+1). The upper bound is that of the mirrored labels. One stratum gives Clopper-Pearson
on the labels, or the exact hypergeometric bound; all cases labelled, Clopper-Pearson on all of them. For several
strata it is no theorem: `python -m benchmarks judged` simulates it.

The distribution of K is a convolution of beta-binomials, computed exactly (to 2⁻⁶⁰): no draws and no seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from rightcall.stats.gaffke import root_of_rising
from rightcall.stats.intervals import Interval
from rightcall.stats.judged_strata import About, LabelStratum

SLACK = 1e-9
"""A discrete bound is reached by α(1 − SLACK), so that rounding never makes it sharper."""

_BITS = 64
_SLOT = 18
_NEGLIGIBLE = 1e-18


def melded_bounds(strata: Sequence[LabelStratum], about: About, alpha: float) -> Interval:
    """One-sided lower and upper bound at 1−α each, of the share that people would pass."""
    mirrored = [stratum.mirrored for stratum in strata]
    return Interval(_lower(strata, about, alpha), 1 - _lower(mirrored, about, alpha))


def melded_p_values(strata: Sequence[LabelStratum], about: About, theta: float) -> tuple[float, float]:
    """The evidence against "below θ" and against "θ or more": at most α when the lower bound reaches θ, and below α
    when the upper bound is below it.
    """
    mirrored = [stratum.mirrored for stratum in strata]
    return melded_p_value(strata, about, theta), melded_p_value(mirrored, about, 1 - theta)


def melded_p_value(strata: Sequence[LabelStratum], about: About, theta: float) -> float:
    """The evidence against "below θ"."""
    cases = sum(stratum.cases for stratum in strata)
    first, cumulative = pass_distribution(strata)
    if about == "these_cases":
        last = -(-round(theta * cases * 1e9) // 10**9) - 1  # the largest number of passes below θ
        return 0.0 if last < first else cumulative[min(last - first, len(cumulative) - 1)]
    return _binomial_reaches(first, cumulative, cases, theta)


def _lower(strata: Sequence[LabelStratum], about: About, alpha: float) -> float:
    cases = sum(stratum.cases for stratum in strata)
    rate = sum(s.cases / cases * s.passed / s.labels for s in strata)
    first, cumulative = pass_distribution(strata)
    if about == "these_cases":
        passes = first + next(i for i, below in enumerate(cumulative) if below >= alpha * (1 - SLACK))
        return min(passes / cases, rate)
    if first == 0 and cumulative[0] >= alpha:
        return 0.0
    return root_of_rising(lambda theta: _binomial_reaches(first, cumulative, cases, theta), rate, alpha)


def pass_distribution(strata: Sequence[LabelStratum]) -> tuple[int, list[float]]:
    """(fewest passes, P(K ≤ fewest + i) for i = 0, 1, …): how many cases pass, by the labels' lower side."""
    probabilities: Sequence[float] = [1.0]
    for stratum in strata:
        probabilities = convolve(
            probabilities,
            beta_binomial(
                stratum.cases - stratum.labels, int(stratum.passed), int(stratum.labels - stratum.passed) + 1
            ),
        )
    cumulative = list(accumulate(probabilities))
    cumulative[-1] = max(1.0, cumulative[-1])
    return int(sum(stratum.passed for stratum in strata)), cumulative


@lru_cache(maxsize=256)
def beta_binomial(n: int, a: int, b: int) -> tuple[float, ...]:
    """P(U = u), u = 0 … n, for U ~ Binomial(n, p) with p ~ Beta(a, b), b > 0; Beta(0, b) is 0.

    From its mean outwards by the ratio of neighbours, (n−u)(a+u) / ((u+1)(b+n−u−1)), then normalised: no logarithms of
    gamma functions, whose difference would lose digits.
    """
    if n == 0 or a == 0:
        return (1.0,)
    middle = n * a // (a + b)
    upwards = [1.0]
    term = 1.0
    for u in range(middle, n):
        term *= (n - u) * (a + u) / ((u + 1) * (b + n - u - 1))
        upwards.append(term)
    downwards = []
    term = 1.0
    for u in range(middle - 1, -1, -1):
        term *= (u + 1) * (b + n - u - 1) / ((n - u) * (a + u))
        downwards.append(term)
    weights = [*reversed(downwards), *upwards]
    total = sum(weights)
    return tuple([weight / total for weight in weights])


def convolve(first: Sequence[float], second: Sequence[float]) -> Sequence[float]:
    """The distribution of a sum. Probabilities become digits of two long integers, whose product Python computes in
    less than quadratic time; the error is below 2⁻⁶⁰.
    """
    if len(first) == 1 or len(second) == 1:
        factor, other = (first[0], second) if len(first) == 1 else (second[0], first)
        return other if factor == 1.0 else [factor * value for value in other]
    length = len(first) + len(second) - 1
    digits = (_pack(first) * _pack(second)).to_bytes(_SLOT * (length + 1), "little")
    scale = 0.5 ** (2 * _BITS)
    places = range(0, _SLOT * length, _SLOT)
    return [int.from_bytes(digits[place : place + _SLOT], "little") * scale for place in places]


def _pack(probabilities: Sequence[float]) -> int:
    scale = 2.0**_BITS
    return int.from_bytes(
        b"".join([int(value * scale).to_bytes(_SLOT, "little") for value in probabilities]), "little"
    )


def _binomial_reaches(first: int, cumulative: Sequence[float], n: int, theta: float) -> float:
    """P(J ≥ K) for J ~ Binomial(n, θ): the chance that θ' ~ Beta(K, n−K+1) is at most θ, over the distribution of K."""
    if theta <= 0:
        return cumulative[0] if first == 0 else 0.0
    if theta >= 1:
        return 1.0
    odds = theta / (1 - theta)
    mode = min(n, int((n + 1) * theta))
    last = len(cumulative) - 1

    def reached(j: int) -> float:
        return 0.0 if j < first else cumulative[min(j - first, last)]

    weight = total = 1.0
    value = reached(mode)
    for j in range(mode, n):
        weight *= (n - j) / (j + 1) * odds
        if weight < _NEGLIGIBLE:
            break
        total += weight
        value += weight * reached(j + 1)
    weight = 1.0
    for j in range(mode, 0, -1):
        weight *= j / (n - j + 1) / odds
        if weight < _NEGLIGIBLE:
            break
        total += weight
        value += weight * reached(j - 1)
    return value / total
