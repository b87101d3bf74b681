"""Plain-language probabilities under Jeffreys' prior: "how sure is it that the rate is above 90 %?"."""

from __future__ import annotations

import math

from rightcall.stats.checks import require_counts
from rightcall.stats.special import beta_density, beta_quantile, beta_tails

_STEPS = 400


def probability_at_least(x: float, n: float, theta: float) -> float:
    """P(p ≥ θ | x of n), p ~ Beta(x+½, n−x+½)."""
    require_counts("probability_at_least", x, n)
    return beta_tails(theta, x + 0.5, n - x + 0.5)[1]


def probability_better(xa: float, na: float, xb: float, nb: float) -> float:
    """P(p_B > p_A) = ∫ f_A(p) P(p_B > p) dp for two independent groups of cases.

    With p = sin²φ the ends of Jeffreys' density are smooth; Simpson's rule over all but 1e-13 of f_A.
    For the same cases in both runs use the paired tests, which have more power.
    """
    require_counts("probability_better", xa, na)
    require_counts("probability_better", xb, nb)
    a, b = xa + 0.5, na - xa + 0.5
    low = math.asin(math.sqrt(beta_quantile(1e-13, a, b)))
    high = math.pi / 2 - math.asin(math.sqrt(beta_quantile(1e-13, b, a)))
    step = (high - low) / _STEPS

    def integrand(phi: float) -> float:
        p = min(max(math.sin(phi) ** 2, 1e-300), 1 - 1e-16)
        return beta_density(p, a, b) * 2 * math.sin(phi) * math.cos(phi) * probability_at_least(xb, nb, p)

    inner = [integrand(low + i * step) * (4 if i % 2 else 2) for i in range(1, _STEPS)]
    total = math.fsum([integrand(low), *inner, integrand(high)]) * step / 3
    return min(1.0, max(0.0, total))
