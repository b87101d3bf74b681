"""Simulated runs with a judge: counts like two public sets, judges from useless to perfect, labels drawn or chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from rightcall.stats.judged_strata import LEVELS, LabelStratum, level
from rightcall.stats.label_plan import allocation_order

# People's label, then each judge's verdict, 1 for pass: counts that have the published rate of passes, each judge's κ
# and r² with people, and errors of judges that mostly coincide, so that a second judge adds what it did there.
WEB_AGENTS = {
    "1000": 47, "1001": 1, "1010": 4, "1011": 4, "1100": 23, "1101": 7, "1110": 85, "1111": 155,
    "0000": 598, "0001": 4, "0010": 15, "0011": 1, "0100": 76, "0101": 1, "0110": 56, "0111": 24,
}  # fmt: skip
ONLINE_AGENTS = {"100": 62, "101": 46, "110": 5, "111": 240, "000": 733, "001": 69, "010": 3, "011": 29}
SETS = {"A": WEB_AGENTS, "O": ONLINE_AGENTS}
ONE_JUDGE = [("A", (0,)), ("A", (1,)), ("A", (2,)), ("O", (0,)), ("O", (1,))]
SEVERAL_JUDGES = [("A", (1,)), ("A", (0, 1)), ("A", (0, 1, 2)), ("O", (0,)), ("O", (0, 1))]

JUDGES = {
    "useless": (0.5, 0.5), "poor": (0.6, 0.6), "fair": (0.7, 0.7), "good": (0.8, 0.8), "better": (0.9, 0.9),
    "best": (0.95, 0.95), "perfect": (1.0, 1.0), "lenient .5": (1.0, 0.5), "lenient .7": (1.0, 0.7),
    "lenient .9": (1.0, 0.9), "strict .5": (0.5, 1.0), "strict .7": (0.7, 1.0), "strict .9": (0.9, 1.0),
    "mostly lenient": (0.95, 0.6), "mostly strict": (0.6, 0.95),
}  # fmt: skip
"""Share of good answers that a judge passes, and of bad ones that it fails."""

CASES = (120, 400, 2000)
LABELS = (24, 48, 72)
RATES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)


class Population(NamedTuple):
    """Probabilities of each stratum with people's fail and pass, in the order of LEVELS."""

    cells: tuple[float, ...]

    @property
    def rate(self) -> float:
        return sum(self.cells[1::2])

    @property
    def agreement(self) -> tuple[float, ...]:
        """Shares on which judge and people pass, the judge alone, people alone, neither."""
        cells = dict(zip(product(LEVELS, (0, 1)), self.cells, strict=True))
        return cells["pass", 1], cells["pass", 0], cells["fail", 1], cells["fail", 0]


class Draw(NamedTuple):
    """One run: strata with their labels, the same as counts (fail, pass) of all cases, and the judge's raw rate."""

    strata: list[LabelStratum]
    rate: float
    judged: float


def set_population(name: str, judges: tuple[int, ...]) -> Population:
    """A set seen by some of its judges."""
    cells = dict.fromkeys(product(LEVELS, (0, 1)), 0.0)
    total = sum(SETS[name].values())
    for key, count in SETS[name].items():
        votes = [int(key[1 + judge]) for judge in judges]
        cells[level(votes), int(key[0])] += count / total
    return Population(tuple(cells.values()))


def judge_population(rate: float, judge: tuple[float, float]) -> Population:
    """Cases of which people pass `rate`, seen by a judge of this sensitivity and specificity."""
    sensitivity, specificity = judge
    cells: Mapping[tuple[str, int], float] = {
        ("fail", 0): (1 - rate) * specificity, ("fail", 1): rate * (1 - sensitivity),
        ("pass", 0): (1 - rate) * (1 - specificity), ("pass", 1): rate * sensitivity,
    }  # fmt: skip
    return Population(tuple(cells.get(key, 0.0) for key in product(LEVELS, (0, 1))))


def designs() -> Iterator[tuple[int, int, float, str]]:
    """The 810 designs: cases, labels, true rate, judge."""
    yield from product(CASES, LABELS, RATES, JUDGES)


def draw_run(
    rng: np.random.Generator, population: Population, cases: int, labels: int, *, chosen: bool = False
) -> Draw:
    """Cases from the population, and labels of some: at random, or as `label_plan` allocates them."""
    counts = rng.multinomial(cases, population.cells).reshape(len(LEVELS), 2)
    if chosen:
        order = list(allocation_order(dict(zip(LEVELS, map(int, counts.sum(axis=1)), strict=True)), labels))
        passed = [rng.hypergeometric(good, bad, order.count(name)) if good + bad else 0
                  for name, (bad, good) in zip(LEVELS, counts, strict=True)]  # fmt: skip
        labelled = [(order.count(name), k) for name, k in zip(LEVELS, passed, strict=True)]
    else:
        sample = rng.multivariate_hypergeometric(counts.ravel(), labels).reshape(len(LEVELS), 2)
        labelled = [(int(row.sum()), int(row[1])) for row in sample]
    strata = [
        LabelStratum(name, int(row.sum()), n, int(k))
        for name, row, (n, k) in zip(LEVELS, counts, labelled, strict=True)
    ]
    judged = (counts[3].sum() + counts[1].sum() / 2) / cases
    return Draw(strata, float(counts[:, 1].sum() / cases), float(judged))
