"""How often a suite's goldens pass, as far as their trials can tell: a distribution of rates fitted to all of them.

A golden that passed three times of three may pass 99 % of the time or 80 %. Which is likelier depends on the other
goldens: where most never fail, it is one of those. So the rates are taken to come from one distribution, estimated from
all trials (empirical Bayes). Its shape is free, because suites are seldom of one kind: most goldens nearly always pass,
some never do, the rest is flaky. It is a weight for each rate of a grid, found by expectation-maximisation as if
`WORTH` further goldens of a typical suite had been tried (Laird, J. Am. Stat. Assoc. 73 (1978) 805, and Efron,
"Large-Scale Inference" (2010), for what this does well).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate

from rightcall.decide.check_settings import Scores

STEP = 14 / 59
GRID = tuple(1 / (1 + math.exp(7 - STEP * i)) for i in range(60))
"""Rates from 0.001 to 0.999, equally far apart on the scale of log odds."""
WORTH = 3.0
PASSES = 100
LEAST_FLAKY, MORE_FLAKY, MOST_FLAKY = 0.11, 1.25, 0.9
"""The share of a suite's variance p̄(1−p̄) that lies within goldens: a typical suite's grows with its failures.

One trial of each golden cannot tell a flaky golden from one that always fails. The line goes through the suites that
`check` was designed with: 24 % of the variance where 10 % of the trials fail, 33 % at 17 %, 48 % at 30 %.
"""


class RatePrior:
    """The distribution of goldens' rates, and with it what the trials of one golden leave possible."""

    def __init__(self, trials: Iterable[Scores]) -> None:
        counts = Counter(_counts(scores) for scores in trials if scores)
        passed = math.fsum(passes * number for (passes, _), number in counts.items())
        tried = sum(m * number for (_, m), number in counts.items())
        # Half a pass and half a failure more: a suite that never failed so far may fail yet.
        self._weights = _fit(counts, _typical((passed + 0.5) / (tried + 1)))
        self._left: dict[tuple[float, int], list[float]] = {}

    @property
    def noise(self) -> float:
        """Mean p(1−p) of a golden."""
        return math.fsum(weight * p * (1 - p) for weight, p in zip(self._weights, GRID, strict=True))

    def draw(self, scores: Scores, rng: random.Random) -> float:
        """A rate that a golden with these trials may have."""
        counts = _counts(scores)
        left = self._left.get(counts)
        if left is None:
            chances = zip(self._weights, _likelihood(counts), strict=True)
            left = self._left[counts] = list(accumulate(weight * chance for weight, chance in chances))
        return rng.choices(GRID, cum_weights=left)[0]


def _counts(scores: Scores) -> tuple[float, int]:
    return math.fsum(scores), len(scores)


def _likelihood(counts: tuple[float, int]) -> list[float]:
    passes, trials = counts
    return [p**passes * (1 - p) ** (trials - passes) for p in GRID]


def _typical(mean: float) -> list[float]:
    """A beta distribution on the grid, with this mean and the share of noise that suites like it have."""
    share = min(MOST_FLAKY, LEAST_FLAKY + MORE_FLAKY * (1 - mean))
    weight = share / (1 - share)
    a, b = mean * weight, (1 - mean) * weight
    # By log odds: p^(a-1) (1-p)^(b-1) times dp = p (1-p) d log odds. The ends stand for all that is beyond them, where
    # the density falls like exp(-a t) and exp(-b t): most of it, when nearly all goldens always pass.
    density = [p**a * (1 - p) ** b for p in GRID]
    density[0] *= 1 / (a * STEP)
    density[-1] *= 1 / (b * STEP)
    total = math.fsum(density)
    return [weight / total for weight in density]


def _fit(counts: Counter[tuple[float, int]], typical: list[float]) -> list[float]:
    """The weights that explain the counts best, with a few goldens' worth of the typical ones."""
    likelihoods = [(_likelihood(scores), number) for scores, number in counts.items()]
    total = WORTH + counts.total()
    weights = typical
    for _ in range(PASSES):
        sums = [WORTH * weight for weight in typical]
        for chances, number in likelihoods:
            joint = [weight * chance for weight, chance in zip(weights, chances, strict=True)]
            scale = number / math.fsum(joint)
            sums = [sum_ + chance * scale for sum_, chance in zip(sums, joint, strict=True)]
        weights = [weight / total for weight in sums]
    return weights
