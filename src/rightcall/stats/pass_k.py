"""How often k runs all succeed (pass^k), without bias; and flaky cases."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from rightcall.core.errors import InputError
from rightcall.stats.intervals import require_counts
from rightcall.stats.special import beta_tails


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
