"""Intervals for a share of independent yes/no cases, and for a mean with a known standard error.

Where each is used: Wilson is shown with a rate, Clopper-Pearson decides gates (its error rate never exceeds
the nominal one), Jeffreys is for Bayesian statements such as "how sure is it that the rate is above 90 %?". Repeated
trials and clusters need `clusters.estimate`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rightcall.core.errors import InputError
from rightcall.stats.special import beta_quantile, beta_tails, normal_quantile, t_quantile


def require_counts(where: str, x: float, n: float) -> None:
    """`x` of `n`: neither negative, and not more than all."""
    if not (n >= 0 and 0 <= x <= n):
        raise InputError(where, f"the count must lie between 0 and n, got {x} of {n}")


def require_share(where: str, name: str, value: float) -> None:
    """Strictly between 0 and 1, as a confidence, an error rate or a threshold must be."""
    if not 0 < value < 1:
        raise InputError(where, f"{name} must lie strictly between 0 and 1, got {value}")


def require_order(where: str, lower: float, upper: float) -> None:
    """`min` and `target`: both shares, and the second above the first."""
    require_share(where, "min", lower)
    require_share(where, "target", upper)
    if lower >= upper:
        raise InputError(where, f"target must be above min, got min {lower} and target {upper}")


class Interval(NamedTuple):
    """From `low` to `high`; for one-sided bounds, each end holds by itself."""

    low: float
    high: float


def wilson(x: float, n: float, conf: float = 0.95) -> Interval:
    """Wilson's score interval for x of n, without continuity correction.

    (p̂ + z²/2n ± z √(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n), z = Φ⁻¹(1−(1−conf)/2).
    Wilson, JASA 22 (1927) 209. Nothing seen (n = 0) gives [0, 1].
    """
    require_counts("wilson", x, n)
    require_share("wilson", "conf", conf)
    if n == 0:
        return Interval(0.0, 1.0)
    z = normal_quantile(1 - (1 - conf) / 2)
    p = x / n
    z2 = z * z
    centre = p + z2 / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    low = (centre - half) / (1 + z2 / n)
    high = (centre + half) / (1 + z2 / n)
    return Interval(0.0 if x == 0 else max(0.0, low), 1.0 if x == n else min(1.0, high))


def clopper_pearson(x: float, n: float, conf: float = 0.95) -> Interval:
    """The exact two-sided interval: coverage is never below `conf`, whatever the true share.

    L = BetaInv(a/2; x, n−x+1), U = BetaInv(1−a/2; x+1, n−x), a = 1−conf; L = 0 at x = 0, U = 1 at x = n.
    Clopper & Pearson, Biometrika 26 (1934) 404. Fractional x and n are allowed, as Korn-Graubard needs.
    """
    require_share("clopper_pearson", "conf", conf)
    return clopper_pearson_bounds(x, n, (1 - conf) / 2)


def clopper_pearson_bounds(x: float, n: float, alpha: float = 0.05) -> Interval:
    """One-sided exact bounds: the share is above `low`, or below `high`, each with confidence 1−alpha.

    L = BetaInv(alpha; x, n−x+1), U = BetaInv(1−alpha; x+1, n−x). A gate passes when L ≥ θ, fails when U < θ.
    """
    require_counts("clopper_pearson_bounds", x, n)
    require_share("clopper_pearson_bounds", "alpha", alpha)
    low = beta_quantile(alpha, x, n - x + 1) if x > 0 else 0.0
    high = 1 - beta_quantile(alpha, n - x, x + 1) if x < n else 1.0
    return Interval(low, high)


def clopper_pearson_p_values(x: float, n: float, theta: float) -> tuple[float, float]:
    """(P(Bin(n, θ) ≥ x), P(Bin(n, θ) ≤ x)): the evidence against "below θ" and against "θ or more".

    The first is ≤ α exactly when the lower bound is ≥ θ, the second is < α exactly when the upper one is < θ.
    """
    require_counts("clopper_pearson_p_values", x, n)
    require_share("clopper_pearson_p_values", "theta", theta)
    at_least = beta_tails(theta, x, n - x + 1)[0] if x > 0 else 1.0
    at_most = beta_tails(theta, x + 1, n - x)[1] if x < n else 1.0
    return at_least, at_most


def t_interval(mean: float, se: float, df: float, conf: float = 0.95) -> Interval:
    """mean ± t_{df, 1−(1−conf)/2} · se (Student 1908). Not clipped: a difference may be negative."""
    require_share("t_interval", "conf", conf)
    half = t_quantile(1 - (1 - conf) / 2, df) * se
    return Interval(mean - half, mean + half)


def zero_seen_bound(n: float, alpha: float = 0.05) -> float:
    """Upper bound on the rate of an event not seen in n independent trials: 1 − alpha^(1/n) (about 3/n).

    Hanley & Lippman-Hand, JAMA 249 (1983) 1743, "the rule of three".
    """
    require_share("zero_seen_bound", "alpha", alpha)
    return 1.0 if n <= 0 else -math.expm1(math.log(alpha) / n)


def difference_of_groups(
    first: float, first_interval: Interval, second: float, second_interval: Interval
) -> Interval:
    """The interval of p₁ − p₂ from the interval of each, which may be made in any way.

    L = D − √((p₁−l₁)² + (u₂−p₂)²), U = D + √((u₁−p₁)² + (p₂−l₂)²). With Wilson's intervals it is method 10 of Newcombe
    (1998); in general, the square-and-add method of Zou and Donner (2008).
    """
    (low_1, high_1) = first_interval
    (low_2, high_2) = second_interval
    apart = first - second
    low = apart - math.hypot(first - low_1, high_2 - second)
    high = apart + math.hypot(high_1 - first, second - low_2)
    return Interval(low, high)
