"""What the goldens in proof can show, simulated before anything is spent."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import NormalDist

DRAWS = 200
LIKELY, SURE = 0.5, 0.8
STEPS = 20
HIGHEST = 0.97
"""How often a golden passes once what made it fail is gone."""


def power(gain: float, goldens: int, trials: int, alpha: float, rates: Sequence[float]) -> float:
    """The chance that a one-sided sign-flip test at `alpha` shows a gain, when goldens pass as `rates` say.

    A gain of .2 means that enough failing goldens are fixed to raise the mean by .2; the others stay as they
    are. The test is by its normal approximation T = Σd/√Σd², with at least as many changed goldens as 2^−n needs.
    """
    rng = random.Random(f"{goldens}/{trials}/{len(rates)}")  # noqa: S311
    base = [min(HIGHEST, max(1 - HIGHEST, rate)) for rate in rates] or [0.5]
    room = sum(max(0.0, HIGHEST - rate) for rate in base) / len(base)
    repaired = min(1.0, gain / room) if room > 0 else 0.0
    cut, fewest = NormalDist().inv_cdf(1 - alpha), fewest_goldens(alpha)
    shown = 0
    for _ in range(DRAWS):
        d = [_difference(rng, rng.choice(base), repaired, trials) for _ in range(goldens)]
        squares = sum(one * one for one in d)
        moved = sum(one != 0 for one in d)
        shown += moved >= fewest and squares > 0 and sum(d) / squares**0.5 >= cut
    return shown / DRAWS


def _difference(rng: random.Random, rate: float, repaired: float, trials: int) -> float:
    after = HIGHEST if rng.random() < repaired else rate
    wins = sum(rng.random() < after for _ in range(trials)) - sum(rng.random() < rate for _ in range(trials))
    return wins / trials


def smallest_gain(goldens: int, trials: int, alpha: float, rates: Sequence[float]) -> float | None:
    """The smallest gain, in steps of five points, that would more likely be shown than not; None if none would."""
    for step in range(1, STEPS + 1):
        if power(step / STEPS, goldens, trials, alpha, rates) >= LIKELY:
            return step / STEPS
    return None


def goldens_for(
    gain: float, trials: int, alpha: float, rates: Sequence[float], most: int = 2_000
) -> int | None:
    """How many goldens show a gain in four of five cases; None when that takes more than `most`."""
    n = fewest_goldens(alpha)
    while n <= most:
        if power(gain, n, trials, alpha, rates) >= SURE:
            return n
        n = max(n + 1, round(n * 1.15))
    return None


def fewest_goldens(alpha: float) -> int:
    """Goldens that a one-sided sign-flip test needs at least for this level: with n of them p is 2^−n or more."""
    n = 1
    while 2.0**-n > alpha:
        n += 1
    return n
