"""The special functions everything else is built on, with only the standard library.

The regularised incomplete beta function I_x(a, b) gives the binomial and the t distribution; its inverse
gives their quantiles. Both tails are computed separately, so that a p-value of 1e-12 keeps its digits.

Sources: continued fraction DLMF 8.17.22 by Lentz's method (Press et al., Numerical Recipes 6.4); the factor
in front by the saddle-point form of Loader, "Fast and accurate computation of binomial probabilities" (2000),
which stays exact where a difference of large log-gammas would not.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

_LOG_2PI = math.log(2 * math.pi)
_TINY = 1e-300
_EPSILON = 1e-15


def log_beta(a: float, b: float) -> float:
    """ln B(a, b) = lnΓ(a) + lnΓ(b) − lnΓ(a+b)."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def beta_tails(x: float, a: float, b: float) -> tuple[float, float]:
    """(I_x(a, b), 1 − I_x(a, b)) for a, b > 0: both tails of the Beta(a, b) distribution at x."""
    return _tails(x, 1 - x, a, b)


def beta_quantile(q: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = q."""
    return _quantile_pair(q, 1 - q, a, b)[0]


def beta_density(x: float, a: float, b: float) -> float:
    """x^(a−1) (1−x)^(b−1) / B(a, b) for 0 < x < 1."""
    return _front(x, 1 - x, a, b) / (x * (1 - x))


def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(X ≤ k) for X ~ Bin(n, p); equals I_{1−p}(n−k, k+1)."""
    if k < 0:
        return 0.0
    return 1.0 if k >= n else beta_tails(p, k + 1, n - k)[1]


def binomial_sf(k: int, n: int, p: float) -> float:
    """P(X ≥ k) for X ~ Bin(n, p), k itself included; equals I_p(k, n−k+1)."""
    if k <= 0:
        return 1.0
    return 0.0 if k > n else beta_tails(p, k, n - k + 1)[0]


def binomial_pmf(k: int, n: int, p: float) -> float:
    """P(X = k) for X ~ Bin(n, p), 0 < p < 1."""
    if not 0 <= k <= n:
        return 0.0
    if k in (0, n):
        return float((1 - p) ** n if k == 0 else p**n)
    return _binomial_term(k, n - k, p, 1 - p)


def binomial_draw(rng: Random, n: int, p: float) -> int:
    """A draw of Binomial(n, p). Large n is halved at the median of its uniforms (Devroye 1986, X.4.3)."""
    count = 0
    while n > 24:
        middle = (n + 1) // 2
        median = rng.betavariate(middle, n + 1 - middle)
        if median <= p:
            count = count + middle
            n = n - middle
            p = (p - median) / (1 - median)
        else:
            n = middle - 1
            p = p / median
    return count + sum([rng.random() < p for _ in range(n)])


@lru_cache(maxsize=256)
def normal_quantile(q: float) -> float:
    """Φ⁻¹(q), by the standard library's Wichura AS 241."""
    from statistics import NormalDist  # pulls in decimal and fractions, hence not at import

    return NormalDist().inv_cdf(q)


def t_sf(t: float, df: float) -> float:
    """P(T ≥ t) for Student's t: half of I_{df/(df+t²)}(df/2, 1/2) when t ≥ 0."""
    square = t * t
    if math.isinf(square):
        return 0.0 if t > 0 else 1.0
    tail = 0.5 * _tails(square / (df + square), df / (df + square), 0.5, df / 2)[1]
    return tail if t >= 0 else 1 - tail


@lru_cache(maxsize=1024)
def t_quantile(q: float, df: float) -> float:
    """The t with P(T ≤ t) = q, from w = t²/(df+t²), which is Beta(1/2, df/2) distributed."""
    if q < 0.5:
        return -t_quantile(1 - q, df)
    both_tails = 2 * (1 - q)
    w, rest = _quantile_pair(1 - both_tails, both_tails, 0.5, df / 2)
    return math.sqrt(df * w / rest)


def _tails(x: float, y: float, a: float, b: float) -> tuple[float, float]:
    """Both tails, with y = 1 − x passed separately so that an x near 1 loses no digits."""
    if x <= 0:
        return 0.0, 1.0
    if y <= 0:
        return 1.0, 0.0
    front = _front(x, y, a, b)
    if x < (a + 1) / (a + b + 2):
        lower = front * _lentz_fraction(x, a, b) / a
        return lower, 1 - lower
    upper = front * _lentz_fraction(y, b, a) / b
    return 1 - upper, upper


def _front(x: float, y: float, a: float, b: float) -> float:
    """x^a y^b / B(a, b)."""
    return _binomial_term(a, b, x, y) * a * b / (a + b)


def _binomial_term(a: float, b: float, x: float, y: float) -> float:
    """Γ(a+b+1)/(Γ(a+1)Γ(b+1)) x^a y^b in Loader's form; a and b need not be whole."""
    n = a + b
    log_term = (
        _error_of_stirling(n)
        - _error_of_stirling(a)
        - _error_of_stirling(b)
        - _deviance(a, n * x)
        - _deviance(b, n * y)
        - 0.5 * (_LOG_2PI + math.log(a) + math.log(b) - math.log(n))
    )
    return math.exp(log_term)


def _error_of_stirling(z: float) -> float:
    """lnΓ(z+1) minus Stirling's approximation to it."""
    if z < 15:
        return math.lgamma(z + 1) - (z + 0.5) * math.log(z) + z - 0.5 * _LOG_2PI
    s = 1 / (z * z)
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - s / 1188) * s) * s) * s) / z


def _deviance(x: float, mean: float) -> float:
    """x ln(x/mean) + mean − x, without cancellation when x is near its mean."""
    if mean <= 0:
        return math.inf
    gap = x - mean
    if abs(gap) >= 0.1 * (x + mean):
        return x * math.log(x / mean) - gap
    v = gap / (x + mean)
    total = gap * v
    term = 2 * x * v
    odd = 1
    while True:
        term *= v * v
        odd += 2
        if total + term / odd == total:
            return total
        total += term / odd


def _lentz_fraction(x: float, a: float, b: float) -> float:
    """DLMF 8.17.22 by the modified Lentz method; quick for x below (a+1)/(a+b+2)."""
    c = 1.0
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, 1_000_000):
        even = a + 2 * m
        step = m * (b - m) * x / ((even - 1) * even)
        d = 1 / (1 + step * d or _TINY)
        c = 1 + step / c or _TINY
        value *= d * c
        step = -(a + m) * (a + b + m) * x / (even * (even + 1))
        d = 1 / (1 + step * d or _TINY)
        c = 1 + step / c or _TINY
        value *= d * c
        if abs(d * c - 1) < _EPSILON:
            break
    return value


def _quantile_pair(q: float, p: float, a: float, b: float) -> tuple[float, float]:
    """(x, 1 − x) with I_x(a, b) = q, p = 1 − q; whichever is below one half is solved for."""
    if q <= 0:
        return 0.0, 1.0
    if p <= 0:
        return 1.0, 0.0
    if q <= _tails(0.5, 0.5, a, b)[0]:
        x = _solve(q, p, a, b)
        return x, 1 - x
    y = _solve(p, q, b, a)
    return 1 - y, y


def _solve(q: float, p: float, a: float, b: float) -> float:
    """Newton's method inside a shrinking bracket for the x ≤ 1/2 with I_x(a, b) = q.

    It works on the logarithm of the smaller tail, which is concave for a, b ≥ 1: a few steps from anywhere.
    """
    low = 0.0
    high = 0.5
    x = _first_guess(q, p, a, b)
    for _ in range(200):
        lower, upper = _tails(x, 1 - x, a, b)
        tail, target, sign = (lower, q, 1) if q <= p else (upper, p, -1)
        if tail == target or x < _TINY:
            return x
        low, high = (low, x) if sign * (tail - target) > 0 else (x, high)
        density = beta_density(x, a, b)
        step = sign * tail / density * math.log(tail / target) if tail > 0 and density > 0 else math.inf
        following = x - step
        if abs(step) <= 4e-16 * x:
            return following
        if not low < following < high:
            # Far out in a tail the root may be many powers of ten away: halve the exponent, not the value.
            following = math.sqrt(low * high) if low > 0 else (high * 1e-3 if high < 1e-3 else high / 2)
        if following in (low, high):
            return following
        x = following
    return x


def _first_guess(q: float, p: float, a: float, b: float) -> float:
    """Abramowitz & Stegun 26.5.22 for humps, the power law I_x ≈ x^a/(a B(a, b)) otherwise."""
    if a >= 1 and b >= 1:
        z = normal_quantile(q) if q > p else -normal_quantile(p) if p < 1 else -38.0
        harmonic = 2 / (1 / (2 * a - 1) + 1 / (2 * b - 1))
        small = (z * z - 3) / 6
        w = -z * math.sqrt(max(harmonic + small, 0.0)) / harmonic
        w += (1 / (2 * b - 1) - 1 / (2 * a - 1)) * (small + 5 / 6 - 2 / (3 * harmonic))
        guess = a / (a + b * math.exp(min(-2 * w, 700.0)))
    else:
        guess = math.exp(min(0.0, (math.log(q) + math.log(a) + log_beta(a, b)) / a))
    return min(max(guess, _TINY), 0.5 - 1e-12)
