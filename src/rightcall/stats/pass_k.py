"""How often k runs all succeed (pass^k), or at least one of k does (pass@k), without bias.

(c/m)^k overstates reliability: at p = 0.8, m = 5, k = 3 its mean is 0.585 where the truth is 0.512.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from rightcall.errors import InputError
from rightcall.stats.checks import require_counts
from rightcall.stats.intervals import Interval, t_interval
from rightcall.stats.sample import cluster_se, variance
from rightcall.stats.special import log_beta


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """pass^k = C(c, k)/C(n, k) for c passes in n trials; None if n < k. Yao et al., τ-bench (2024)."""
    _require(n, c, k)
    return math.comb(c, k) / math.comb(n, k) if n >= k else None


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """pass@k = 1 − C(n−c, k)/C(n, k); None if n < k. Chen et al., HumanEval (2021)."""
    _require(n, c, k)
    return 1 - math.comb(n - c, k) / math.comb(n, k) if n >= k else None


class PassK(NamedTuple):
    """A suite's mean over the `cases` that have at least k trials; no interval below two clusters."""

    k: int
    value: float | None
    cases: int
    interval: Interval | None


def suite_pass_hat_k(
    counts: Sequence[tuple[int, int]],
    k: int,
    *,
    clusters: Sequence[Hashable] | None = None,
    conf: float = 0.95,
) -> PassK:
    """Mean pass^k over cases given as (trials, passes), with a t interval over clusters, within [0, 1]."""
    return _suite([pass_hat_k(n, c, k) for n, c in counts], k, clusters, conf)


def suite_pass_at_k(
    counts: Sequence[tuple[int, int]],
    k: int,
    *,
    clusters: Sequence[Hashable] | None = None,
    conf: float = 0.95,
) -> PassK:
    """Mean pass@k over cases given as (trials, passes)."""
    return _suite([pass_at_k(n, c, k) for n, c in counts], k, clusters, conf)


class BetaFit(NamedTuple):
    """Beta(a, b) for how the success rate varies between cases."""

    a: float
    b: float


def beta_moments(counts: Sequence[tuple[int, int]]) -> BetaFit | None:
    """Beta(a, b) by moments from (trials, passes) of each case; None when the cases do not vary enough.

    With mean S and between-case variance V = var(p_i) − mean of p_i(1−p_i)/(m_i−1): a = S ν, b = (1−S) ν,
    ν = S(1−S)/V − 1. Griffiths, Biometrics 29 (1973) 637. Needs two cases and two trials of each.
    """
    if len(counts) < 2 or any(n < 2 for n, _ in counts):
        return None
    rates = [c / n for n, c in counts]
    mean = math.fsum(rates) / len(rates)
    noise = math.fsum(p * (1 - p) / (n - 1) for p, (n, _) in zip(rates, counts, strict=True)) / len(rates)
    between = variance(rates) - noise
    if between <= 0 or not 0 < mean < 1 or between >= mean * (1 - mean):
        return None
    nu = mean * (1 - mean) / between - 1
    return BetaFit(mean * nu, (1 - mean) * nu)


def extrapolated_pass_hat_k(a: float, b: float, k: int) -> float:
    """E[p^k] = B(a+k, b)/B(a, b) for p ~ Beta(a, b): a guess for k above the trials made; label it as one."""
    return math.exp(log_beta(a + k, b) - log_beta(a, b))


def _suite(values: list[float | None], k: int, clusters: Sequence[Hashable] | None, conf: float) -> PassK:
    used = [(v, clusters[i] if clusters else i) for i, v in enumerate(values) if v is not None]
    if not used:
        return PassK(k, None, 0, None)
    numbers = [v for v, _ in used]
    mean = math.fsum(numbers) / len(numbers)
    groups = [g for _, g in used]
    se = cluster_se(numbers, groups)
    if se is None:
        return PassK(k, mean, len(used), None)
    low, high = t_interval(mean, se, len(set(groups)) - 1, conf)
    return PassK(k, mean, len(used), Interval(max(0.0, low), min(1.0, high)))


def _require(n: int, c: int, k: int) -> None:
    require_counts("pass_k", c, n)
    if k < 1:
        raise InputError("pass_k", f"k must be at least 1, got {k}")
