"""Simulates gates: goldens are drawn, tried and evaluated by the rule that will evaluate the run.

Two trials of one golden agree with intra-class correlation `icc`: 0 means that all goldens are equally hard, 1 that
each always or never passes. Which goldens are hard is not known, so there are two populations of that correlation: a
golden's own rate is drawn from a beta distribution around the agent's rate, or a share of goldens never passes and the
others are equally hard. A promise must hold in both.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from rightcall.stats.gaffke import Units, gaffke_p_values, units as stats_units
from rightcall.stats.special import binomial_draw, log_beta

DRAWS = 2_000
SEED = 20_240_601
_ROUGH = 400
_ONE_BY_ONE = 500
_TOLERANCE = 1e-4
"""Relative error of a p-value while simulating: far below what a few thousand draws can resolve."""

Watch = Callable[[], None]
"""Called after each simulated run, for progress bars."""


class Demand(NamedTuple):
    """What a run must show: a rate of at least `theta`, at risk `alpha`."""

    theta: float
    alpha: float = 0.05

    def is_met(self, units: Units) -> bool:
        return gaffke_p_values(units, self.theta, _TOLERANCE)[0] <= self.alpha


class Population(NamedTuple):
    """The distribution of golden means: each value with its weight."""

    values: Sequence[float]
    weights: Sequence[float]


def beta_binomial(trials: int, rate: float, icc: float) -> Population:
    """Means of `trials` trials when a golden's own rate is drawn around `rate`."""
    values = [c / trials for c in range(trials + 1)]
    if icc >= 1:
        return Population(values, [1 - rate, *[0.0] * (trials - 1), rate])
    ways = [math.comb(trials, c) for c in range(trials + 1)]
    if icc <= 0:
        return Population(values, [w * rate**c * (1 - rate) ** (trials - c) for c, w in enumerate(ways)])
    a = rate * (1 - icc) / icc
    b = (1 - rate) * (1 - icc) / icc
    whole = log_beta(a, b)
    weights = [w * math.exp(log_beta(c + a, trials - c + b) - whole) for c, w in enumerate(ways)]
    return Population(values, weights)


def never_passing(trials: int, rate: float, icc: float) -> Population:
    """Means of `trials` trials when some goldens never pass, as many as make trials agree with `icc`.

    A share h that never passes and the rest at rate/(1 − h) have the correlation rate·h / ((1 − h)(1 − rate)).
    """
    hard = icc * (1 - rate) / (rate + icc * (1 - rate))
    others = beta_binomial(trials, min(1.0, rate / (1 - hard)), 0.0)
    weights = [(1 - hard) * weight for weight in others.weights]
    return Population(others.values, [weights[0] + hard, *weights[1:]])


POPULATIONS = {"beta": beta_binomial, "never pass": never_passing}
"""The populations that a plan must hold for, by what it calls them."""


def chance_to_pass(
    goldens: Population, number: int, demand: Demand, *, draws: int = DRAWS, watch: Watch | None = None
) -> float:
    """Share of simulated runs of this size that PASS."""
    rng = random.Random(SEED)  # noqa: S311  repeatable, not secret
    passed = 0
    verdicts: dict[tuple[tuple[float, int], ...], bool] = {}
    for _ in range(draws):
        key = tuple(sorted(_draw_means(rng, goldens, number).items()))
        if key not in verdicts:
            verdicts[key] = demand.is_met(Units(tuple((1.0, value, count) for value, count in key)))
        passed += verdicts[key]
        if watch is not None:
            watch()
    return passed / draws


def chance_with_clusters(
    clusters: Mapping[int, tuple[Population, int]], demand: Demand, *, watch: Watch | None = None
) -> float:
    """The same with clusters: by size, where their means come from and how many there are."""
    rng = random.Random(SEED)  # noqa: S311
    sizes = [float(size) for size, (_, number) in clusters.items() for _ in range(number)]
    passed = 0
    for _ in range(DRAWS):
        values = list(
            chain.from_iterable(rng.choices(*goldens, k=number) for goldens, number in clusters.values())
        )
        passed += demand.is_met(stats_units(values, sizes))
        if watch is not None:
            watch()
    return passed / DRAWS


def _draw_means(rng: random.Random, goldens: Population, number: int) -> Mapping[float, int]:
    """How often each mean occurs among the goldens; thousands are drawn by value, not one by one."""
    if number <= _ONE_BY_ONE:
        return Counter(rng.choices(*goldens, k=number))
    counts = {}
    left = number
    weight = math.fsum(goldens.weights)
    for value, share in zip(*goldens, strict=True):
        if left and share > 0:
            count = binomial_draw(rng, left, min(1.0, share / weight))
            left = left - count
            weight = weight - share
            if count:
                counts[value] = count
    return counts


def goldens_for_power(
    goldens: Population,
    demand: Demand,
    power: float,
    between: tuple[int, int],
    *,
    draws: int = DRAWS,
    watch: Watch | None = None,
) -> tuple[int, float]:
    """(number, chance): about the fewest goldens in a range with which that share of simulated runs PASS.

    Bisection with few draws comes near, a walk with all of them settles it. The end of the range when nothing is
    enough.
    """
    fewest, most = between

    def chance(number: int, draws: int) -> float:
        return chance_to_pass(goldens, number, demand, draws=draws, watch=watch)

    low = fewest
    high = max(fewest, most)
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle, min(_ROUGH, draws)) >= power else (middle, high)
    stride = max(1, high // 100)
    size = high
    reached = chance(high, draws)
    while reached < power and size < most:
        size = min(most, size + stride)
        reached = chance(size, draws)
    while size - stride >= fewest and (fewer := chance(size - stride, draws)) >= power:
        size = size - stride
        reached = fewer
    return size, reached
