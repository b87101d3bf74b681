"""Designs whose true rate is exactly the threshold: what `operating` simulates, and random ones to search among."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rightcall.decide.simulation import Population, beta_binomial


class Group(NamedTuple):
    """So many clusters of so many goldens each (1 when goldens stand alone), and where their means come from."""

    number: int
    size: int
    means: Population


class Design(NamedTuple):
    """A suite at its threshold."""

    name: str
    threshold: float
    groups: tuple[Group, ...]


def alike(cases: int, theta: float, icc: float) -> Population:
    """Trials (or goldens of a cluster) that agree with intra-class correlation `icc`."""
    return beta_binomial(cases, theta, icc)


def hard_share(cases: int, theta: float, share: float) -> Population:
    """A share that never passes; the rest is as good as it must be for the mean to be theta."""
    rest = beta_binomial(cases, min(1.0, theta / (1 - share)), 0.0)
    weights = [w * (1 - share) for w in rest.weights]
    return Population(rest.values, [weights[0] + share, *weights[1:]])


def plain(goldens: int, trials: int, theta: float) -> Iterator[Design]:
    """Goldens that stand alone: beta-binomial trials, and a few goldens that never pass."""
    shape = f"{goldens} × {trials}"
    for icc in (0.0,) if trials == 1 else (0.0, 0.3, 0.6, 0.9):
        group = Group(goldens, 1, alike(trials, theta, icc))
        yield Design(f"{shape}, ICC {icc:g}", theta, (group,))
    for share in () if trials == 1 else (0.02, 0.06, 1 - theta):
        if share <= 1 - theta + 1e-9:
            group = Group(goldens, 1, hard_share(trials, theta, min(share, 1 - theta)))
            yield Design(f"{shape}, {share:.0%} never pass", theta, (group,))


def clustered(sizes: dict[int, int], trials: int, theta: float) -> Iterator[Design]:
    """Clusters of unequal sizes, given as {size: number}, with goldens of one cluster alike or all hard."""
    shape = ", ".join(f"{number} of {size}" for size, number in sizes.items())
    for icc in (0.0, 0.3, 0.9):
        groups = tuple(Group(k, n, alike(n * trials, theta, icc)) for n, k in sizes.items())
        yield Design(f"{shape} × {trials}, ICC {icc:g}", theta, groups)
    for share in ((1 - theta) / 2, 1 - theta):
        groups = tuple(Group(k, n, hard_share(n * trials, theta, share)) for n, k in sizes.items())
        yield Design(f"{shape} × {trials}, {share:.0%} of clusters never pass", theta, groups)


def large_ones_hard(small: int, large: int, size: int, theta: float) -> Design:
    """Single goldens that always pass, and a few large clusters that pass or fail as a whole."""
    goldens = small + large * size
    rate = 1 - (1 - theta) * goldens / (large * size)
    groups = (
        Group(small, 1, Population([1.0], [1.0])),
        Group(large, size, Population([0.0, 1.0], [1 - rate, rate])),
    )
    return Design(f"{small} of 1 that always pass, {large} of {size} all or nothing", theta, groups)


PLAIN = [
    design
    for shape in (
        (60, 1, 0.9), (30, 10, 0.8), (30, 5, 0.9), (30, 10, 0.9), (60, 10, 0.9),
        (100, 3, 0.9), (100, 3, 0.95), (200, 5, 0.95),
    )
    for design in plain(*shape)
]  # fmt: skip
CLUSTERED = [
    *clustered({1: 20, 3: 10, 10: 3}, 1, 0.8),
    *clustered({1: 20, 3: 10, 10: 3}, 5, 0.8),
    *clustered({1: 40, 8: 5}, 3, 0.9),
    *clustered({20: 2, 1: 20}, 1, 0.8),
    *clustered({2: 100, 20: 5}, 1, 0.9),
    *clustered({3: 30}, 3, 0.9),
    large_ones_hard(20, 3, 10, 0.8),
    large_ones_hard(76, 3, 14, 0.82),
    large_ones_hard(150, 4, 10, 0.9),
]

GRADED: list[tuple[str, Callable[[random.Random], float], float]] = [
    (
        "scores like F1",
        lambda rng: rng.choices([1, 0.8, 0.667, 0.5, 0], [70, 10, 8, 5, 7])[0],
        0.7 + 0.08 + 0.667 * 0.08 + 0.025,
    ),
    ("nearly all 1", lambda rng: rng.choices([1, 0.8, 0.667, 0], [90, 5, 3, 2])[0], 0.94 + 0.667 * 0.03),
    ("Beta(9, 1)", lambda rng: rng.betavariate(9, 1), 0.9),
]

FIXED = [
    # exactly these goldens: [(goldens, rate of each)], trials
    ("30 alike", [(30, 0.9)], 10),
    ("27 always, 3 never", [(27, 1.0), (3, 0.0)], 10),
    ("20 at 98%, 10 at 74%", [(20, 0.98), (10, 0.74)], 5),
    ("8 always, 8 at 80%", [(8, 1.0), (8, 0.8)], 10),
]


def random_design(rng: random.Random) -> Design:
    """Any mixture of sizes, trials and kinds of difficulty, large clusters harder or easier than small ones."""
    while True:
        groups = []
        for _ in range(rng.randint(1, 3)):
            size = 1 if rng.random() < 0.4 else _about(rng, 1, 30)
            cases = size * rng.choice([1, 1, 2, 3, 5, 10])
            mean = rng.choice([0.0, 0.2, 0.5, 0.7, 0.9, 0.97, 1.0])
            kind = rng.choice(["icc", "hard", "all or nothing"])
            if mean in (0.0, 1.0):
                means = Population([mean], [1.0])
            elif kind == "icc":
                means = alike(cases, mean, rng.choice([0.0, 0.1, 0.3, 0.6, 0.9]))
            elif kind == "hard":
                means = hard_share(cases, mean, rng.uniform(0.05, 1) * (1 - mean))
            else:
                means = Population([0.0, 1.0], [1 - mean, mean])
            groups.append(Group(_about(rng, 1, 100), size, means))
        clusters = sum(g.number for g in groups)
        goldens = sum(g.number * g.size for g in groups)
        theta = sum(g.number * g.size * mean_of(g.means) for g in groups) / goldens
        if 10 <= clusters <= 200 and 0.5 <= theta <= 0.97:
            text = " + ".join(f"{g.number} of {g.size} (mean {mean_of(g.means):.2f})" for g in groups)
            return Design(text, theta, tuple(groups))


def mean_of(means: Population) -> float:
    """The mean of a population."""
    return math.fsum(v * w for v, w in zip(*means, strict=True)) / math.fsum(means.weights)


def _about(rng: random.Random, low: int, high: int) -> int:
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))
