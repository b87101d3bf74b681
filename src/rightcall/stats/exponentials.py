"""The distribution of a weighted sum of exponential variables, to full precision in both tails.

Q = Σ a_j Γ_j with independent Γ_j ~ Gamma(k_j, 1). Its moment generating function is M(s) = Π (1 − a_j s)^(−k_j), and
P(Q < 0) = −(1/2πi) ∫ M(s)/s ds along any line Re s = c < 0 on which M exists (c > 0 gives −P(Q > 0)). The line through
the saddle point of M(s)/s has no cancellation, so a tail of 1e-12 keeps its digits; the integrand is
analytic, so the trapezoid rule converges geometrically. Helstrom, IEEE Trans. Aerosp. Electron. Syst. 19 (1983) 428.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence

Terms = Sequence[tuple[float, int]]
"""(a, k): a weight and the number of exponentials that have it."""

_FLAT = 1e-15
_HANDFUL = 32
"""Factors multiplied before a logarithm is taken: few enough never to overflow."""
_MOST_HALVINGS, _FARTHEST = 14, 60.0


def probability_below_zero(terms: Terms, tolerance: float = 1e-11) -> float:
    """P(Σ a_j Γ_j < 0) with relative error about `tolerance`, for the smaller tail."""
    largest = max((abs(a) for a, _ in terms), default=0.0)
    scaled = [(a / largest, k) for a, k in terms if abs(a) > _FLAT * largest]
    if not any(a > 0 for a, _ in scaled):
        return 1.0
    if not any(a < 0 for a, _ in scaled):
        return 0.0
    if sum(a * k for a, k in scaled) > 0:
        return min(1.0, _tail(scaled, tolerance))
    return max(0.0, 1 - _tail([(-a, k) for a, k in scaled], tolerance))


def _tail(terms: Terms, tolerance: float) -> float:
    """P(Q < 0) for a Q whose mean is positive."""
    c, curvature = _saddle(terms)
    moment = _Moment(terms)
    at_saddle = moment.log(complex(c)).real
    width = 1 / math.sqrt(curvature)

    def height(t: float) -> float:
        # s = c + i·width·sinh t: the integrand falls off exponentially in t even where M is a short product
        s = complex(c, width * math.sinh(t))
        return (cmath.exp(moment.log(s) - at_saddle) * c / s).real * math.cosh(t)

    step, cut = 0.5, tolerance * 1e-2
    total = 0.5 + _sum(height, step, step, cut)
    value = total * step
    for _ in range(_MOST_HALVINGS):
        total += _sum(height, step / 2, step, cut)
        step /= 2
        before, value = value, total * step
        # Halving the step squares the error of a geometric rule, so a small change makes the next negligible.
        if abs(value - before) <= 0.1 * math.sqrt(tolerance) * abs(value):
            break
    return value * width * math.exp(at_saddle) / (math.pi * -c)


def _sum(height: Callable[[float], float], start: float, step: float, cut: float) -> float:
    """Σ height(start + j·step) until the terms no longer matter."""
    total, t = 0.0, start
    while t < _FARTHEST:
        h = height(t)
        total += h
        if abs(h) < cut * abs(total) and t > 1:
            break
        t += step
    return total


def _saddle(terms: Terms) -> tuple[float, float]:
    """The minimum c < 0 of ln M(s) − ln(−s), which is convex there, and its second derivative."""
    low, high = 1 / min(a for a, _ in terms), 0.0
    s, curve = low / 2, 1.0
    for _ in range(100):
        slope, curve = -1 / s, 1 / (s * s)
        for a, k in terms:
            r = a / (1 - a * s)
            slope += k * r
            curve += k * r * r
        low, high = (s, high) if slope < 0 else (low, s)
        following = s - slope / curve
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - s) < 1e-4 * abs(s):
            break
        s = following
    return s, curve


class _Moment:
    """ln M(s) up to a multiple of 2πi; weights that occur once share one logarithm for a handful of factors."""

    def __init__(self, terms: Terms) -> None:
        self._repeated = [(a, k) for a, k in terms if k > 1]
        single = [a for a, k in terms if k == 1]
        self._single = [single[i : i + _HANDFUL] for i in range(0, len(single), _HANDFUL)]

    def log(self, s: complex) -> complex:
        total = 0j
        for a, k in self._repeated:
            total -= k * cmath.log(1 - a * s)
        for some in self._single:
            total -= cmath.log(math.prod([1 - a * s for a in some]))
        return total
