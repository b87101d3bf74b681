"""Change detection with a stated false-alarm rate: Shiryaev-Roberts e-detectors for values in 0..1.

Shin, Ramdas & Rinaldo, "E-detectors: a nonparametric framework for sequential change detection", New England Journal
of Statistics in Data Science 2 (2024) 229, doi 10.51387/23-NEJSDS51. Symbols: q0 the rate that must not be exceeded,
x a value (1 is bad), λ a bet on a higher rate, R the evidence, A the threshold.

The only assumption while nothing has changed: E[x_t | past] ≤ q0 and 0 ≤ x_t ≤ 1. Then R_t − t is a supermartingale, so
the mean time to a false alarm is at least A values, and P(alarm within n values) ≤ n/A.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from rightcall.stats.intervals import clopper_pearson_bounds

GROWTH = (1.5, 2.0, 3.0, 6.0)
"""Rates to bet on, as multiples of q0: small changes are detected over time, large ones at once."""
SMALL_GROWTH = 1.25
COMMON = 0.15
"""Where q0 is above COMMON, 1.5 × q0 is a large change in points, so a smaller bet comes first."""
HIGHEST = 0.95
LARGEST = 1e300
"""Evidence is capped here; any threshold is far below."""
FEWEST = 100
"""The shortest reference window."""


@dataclass(frozen=True)
class Detector:
    """The state of one watched series: evidence, and a CUSUM path for the change point, for each bet.

    `since` is the number of values seen when each path last left 1.
    """

    r: tuple[float, ...]
    cusum: tuple[float, ...]
    since: tuple[int, ...]
    n: int = 0

    @property
    def evidence(self) -> float:
        """R: the mean over the bets."""
        return sum(self.r) / len(self.r) if self.r else 0.0


@functools.lru_cache(4096)
def bets(q0: float) -> tuple[float, ...]:
    """λ_k = (q_k − q0) / (q0 (1 − q0)) for rates q_k = min(.95, q0 · growth) that rise; none without room above q0."""
    if not 0 < q0 < 1:
        return ()
    rates: list[float] = []
    for growth in (SMALL_GROWTH, *GROWTH) if q0 > COMMON else GROWTH:
        rate = min(HIGHEST, q0 * growth)
        if rate > max((q0, *rates)):
            rates.append(rate)
    return tuple(min((rate - q0) / (q0 * (1 - q0)), 1 / q0) for rate in rates)


def new_detector(q0: float) -> Detector:
    """A series without values: R_0 = 0."""
    count = len(bets(q0))
    return Detector((0.0,) * count, (1.0,) * count, (0,) * count)


def e_detector_step(r: Sequence[float], x: float, q0: float, lams: Sequence[float]) -> tuple[float, ...]:
    """R_k ← (R_k + 1) · (1 + λ_k (x − q0))."""
    return tuple(
        min((value + 1.0) * max(0.0, 1.0 + lam * (x - q0)), LARGEST)
        for value, lam in zip(r, lams, strict=True)
    )


def detector_step(state: Detector, x: float, q0: float) -> Detector:
    """The state after one more value, which is bad with at most q0 unless something changed."""
    if not 0 <= x <= 1:
        raise ValueError(f"detector_step: x must be between 0 and 1, got {x}")
    lams = bets(q0)
    cusum = []
    since = []
    for c, lam, start in zip(state.cusum, lams, state.since, strict=True):
        grown = min(max(c, 1.0) * max(0.0, 1.0 + lam * (x - q0)), LARGEST)
        cusum.append(grown)
        since.append(state.n if c <= 1.0 else start)
    return Detector(e_detector_step(state.r, x, q0, lams), tuple(cusum), tuple(since), state.n + 1)


def detector_threshold(n: float, share: float, series: int = 1) -> float:
    """A = series · n / share: with it, P(any of `series` series alarms falsely within n values) ≤ share."""
    if not (n > 0 and 0 < share < 1 and series >= 1):
        raise ValueError(
            f"detector_threshold: n {n}, share {share} and series {series} must be positive, share below 1"
        )
    return series * n / share


def reference_rate(bad: float, n: int, delta: float = 0.05) -> float:
    """q0: the upper Clopper-Pearson bound of a reference window; with nothing bad 1 − δ^(1/n)."""
    if n < FEWEST:
        raise ValueError(f"reference_rate: a reference window needs {FEWEST} values, got {n}")
    return clopper_pearson_bounds(min(bad, n), n, delta).high


def upper_quantile_rank(n: int, quantile: float = 0.95, confidence: float = 0.95) -> int | None:
    """The rank r (from 1) of the order statistic that is at least the quantile with this confidence.

    The smallest r with P(Bin(n, quantile) ≤ r − 1) ≥ confidence; None when n is too small (59 are needed for .95).
    """
    at_most = 1.0  # P(Bin ≤ r), from the top down
    for r in range(n, 0, -1):
        log_p = (
            math.lgamma(n + 1) - math.lgamma(r + 1) - math.lgamma(n - r + 1)
            + r * math.log(quantile) + (n - r) * math.log1p(-quantile)
        )  # fmt: skip
        below = at_most - math.exp(log_p)
        if below < confidence:
            return r + 1 if r < n else None
        at_most = below
    return 1
