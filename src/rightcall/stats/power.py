"""Sample sizes, and what a finished run could have detected."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal

from rightcall.core.errors import InputError
from rightcall.stats.intervals import require_counts, require_order, require_share
from rightcall.stats.special import beta_tails, binomial_cdf, binomial_sf, normal_quantile

_SCANNED = 300


def gate_cuts(n: int, theta: float, alpha: float = 0.05) -> tuple[int | None, int | None]:
    """(k_pass, k_fail) for n independent cases: PASS at k_pass passes or more, FAIL at k_fail or fewer.

    k_pass = min{k : P(Bin(n, θ) ≥ k) ≤ α}, k_fail = max{k : P(Bin(n, θ) ≤ k) < α}; None when there is no such k.
    The same decision as comparing the one-sided Clopper-Pearson bounds with θ.
    """
    require_share("gate_cuts", "theta", theta)
    require_share("gate_cuts", "alpha", alpha)
    k_pass = _first(0, n + 1, lambda k: binomial_sf(k, n, theta) <= alpha)
    k_fail = _first(0, n + 1, lambda k: binomial_cdf(k, n, theta) >= alpha) - 1
    return (k_pass if k_pass <= n else None), (k_fail if k_fail >= 0 else None)


def all_pass_n(theta: float, alpha: float = 0.05) -> int:
    """The fewest cases with which a perfect run can PASS: ⌈ln α/ln θ⌉."""
    require_share("all_pass_n", "theta", theta)
    require_share("all_pass_n", "alpha", alpha)
    n = math.ceil(math.log(alpha) / math.log(theta) - 1e-9)
    return n if binomial_sf(n, n, theta) <= alpha else n + 1


def gate_power(n: int, theta: float, rate: float, alpha: float = 0.05) -> tuple[float, float]:
    """(P(PASS), P(FAIL)) of the gate at θ when n independent cases each pass with probability `rate`."""
    k_pass, k_fail = gate_cuts(n, theta, alpha)
    passing = binomial_sf(k_pass, n, rate) if k_pass is not None else 0.0
    return passing, binomial_cdf(k_fail, n, rate) if k_fail is not None else 0.0


def gate_n(theta: float, target: float, power: float = 0.8, alpha: float = 0.05) -> tuple[int, int, float]:
    """(n, k_pass, power): the fewest cases with P(PASS | rate = target) ≥ power, exactly.

    For f failures allowed the fewest cases are n_f = min{n : P(Bin(n, 1−θ) ≤ f) ≤ α}, and among the n that
    allow f failures n_f has the most power, so only these are checked.
    """
    require_order("gate_n", theta, target)
    require_share("gate_n", "power", power)
    for failures in range(_SCANNED):
        n, reached = _peak(failures, theta, target, alpha)
        if reached >= power:
            return n, n - failures, reached
    # Far out the peaks rise steadily except for ripples of one case: bisect, then step back a little.
    high = 2 * _SCANNED
    while _peak(high, theta, target, alpha)[1] < power:
        high *= 2
    enough = _first(high // 2, high, lambda f: _peak(f, theta, target, alpha)[1] >= power)
    nearby = range(max(_SCANNED, enough - 50), enough + 1)
    peaks = ((failures, *_peak(failures, theta, target, alpha)) for failures in nearby)
    return next((n, n - failures, reached) for failures, n, reached in peaks if reached >= power)


def mde_paired(n: float, var: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest true difference that a paired comparison of n cases would detect.

    δ = (z_{1−α/2} + z_{power}) √(var/n); var is the variance of the per-case differences, in Miller's terms
    ω² + s_A²/K_A + s_B²/K_B. Miller, "Adding error bars to evals" (2024).
    """
    if n <= 0 or var < 0:
        raise InputError("mde_paired", f"n must be positive and var not negative, got n {n}, var {var}")
    return _z_sum(alpha, power) * math.sqrt(var / n)


def n_paired(delta: float, var: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Cases needed to detect a true difference δ: (z_{1−α/2} + z_{power})² var/δ². Round up."""
    if delta == 0:
        raise InputError("n_paired", "a difference of 0 needs infinitely many cases")
    return _z_sum(alpha, power) ** 2 * var / delta**2


def _z_sum(alpha: float, power: float) -> float:
    require_share("power", "alpha", alpha)
    require_share("power", "power", power)
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)


def _peak(failures: int, theta: float, target: float, alpha: float) -> tuple[int, float]:
    """(n_f, power there) for a number of failures allowed."""
    low = failures
    high = max(8, 2 * (failures + 1))
    while binomial_cdf(failures, high, 1 - theta) > alpha:
        low = high
        high = 2 * high
    n = _first(low, high, lambda n: binomial_cdf(failures, n, 1 - theta) <= alpha)
    return n, binomial_cdf(failures, n, 1 - target)


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least number in [low, high) for which a condition that stays true becomes true; high if none."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """pass^k = C(c, k)/C(n, k) for c passes in n trials; None if n < k. Yao et al., τ-bench (2024)."""
    _require(n, c, k)
    return math.comb(c, k) / math.comb(n, k) if n >= k else None


def _require(n: int, c: int, k: int) -> None:
    require_counts("pass_k", c, n)
    if k < 1:
        raise InputError("pass_k", f"k must be at least 1, got {k}")


FlakeClass = Literal["stable_pass", "stable_fail", "flaky"]


def disagreement(n: int, c: int) -> float | None:
    """2c(n−c)/(n(n−1)): the unbiased chance that two runs of a case disagree; None for one trial.

    Gini's mean difference for yes/no values (the U-statistic of |x − x'|).
    """
    require_counts("disagreement", c, n)
    return 2 * c * (n - c) / (n * (n - 1)) if n >= 2 else None


def flake_class(n: int, c: int) -> FlakeClass:
    """stable_pass when all n trials passed, stable_fail when none did, else flaky."""
    require_counts("flake_class", c, n)
    if c == n:
        return "stable_pass"
    return "stable_fail" if c == 0 else "flaky"


def flake_rate(counts: Iterable[tuple[int, int]]) -> float | None:
    """Mean disagreement over the cases (trials, passes) with two trials or more; None when there is none."""
    rates = [d for n, c in counts if (d := disagreement(n, c)) is not None]
    return math.fsum(rates) / len(rates) if rates else None


def suggests_quarantine(n: int, c: int) -> bool:
    """Whether a case is flaky beyond doubt: n ≥ 5 and P(0.1 < p < 0.9) ≥ 0.9 under Beta(c+½, n−c+½).

    A suggestion only: a case leaves the count by a user's explicit choice.
    """
    require_counts("suggests_quarantine", c, n)
    a = c + 0.5
    b = n - c + 0.5
    return n >= 5 and beta_tails(0.9, a, b)[0] - beta_tails(0.1, a, b)[0] >= 0.9
