"""How many labels a judged rate needs, simulated from the judge's answers before anyone labels."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import lru_cache

from rightcall.model.record import Record
from rightcall.stats.judge_use import judge_adds
from rightcall.stats.judged_interval import About, shown_interval, stratum_mean
from rightcall.stats.judged_strata import ALL, LabelStratum, join_strata, join_unlabelled
from rightcall.stats.label_plan import PRIOR, allocation_order
from rightcall.stats.melded_bounds import melded_bounds

DRAWS = 500
LEAST, POWER = 12, 0.8


class LabelForecast(Record, frozen=True, omit_defaults=False):
    """The labels that reach a goal; None when labelling every case does not.

    `expected_rate` is what the forecast assumes people would pass.
    """

    labels: int | None
    cases: int
    expected_rate: float
    goal: str


def guess_rates(labelled: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Guessed pass rate of each stratum, moved towards the labels there are, given as (passed, labels)."""
    return {
        level: (4 * guess + labelled.get(level, (0, 0))[0]) / (4 + labelled.get(level, (0, 0))[1])
        for level, guess in PRIOR.items()
    }


def labels_for_width(
    sizes: Mapping[str, int], rates: Mapping[str, float], width: float, *, chosen: bool, about: About
) -> LabelForecast:
    """The labels with which the 95 % interval is at most this wide, in half of the draws."""

    def reaches(n: int) -> bool:
        widths = sorted(_width(strata, about) for strata in _draws(sizes, rates, n, chosen))
        return widths[len(widths) // 2] <= width

    goal = f"a 95 % interval of {width:.2f}"
    return LabelForecast(_search(sizes, reaches), sum(sizes.values()), _mean_rate(sizes, rates), goal)


def labels_for_gate(
    sizes: Mapping[str, int], rates: Mapping[str, float], minimum: float, *, chosen: bool, about: About
) -> LabelForecast:
    """The labels with which a gate at this minimum decides, whichever way, in four fifths of the draws."""

    def reaches(n: int) -> bool:
        draws = _draws(sizes, rates, n, chosen)
        decided = sum(not bounds[0] < minimum <= bounds[1] for bounds in (_bounds(s, about) for s in draws))
        return decided >= POWER * len(draws)

    goal = f"a decision about a minimum of {minimum:.2f}"
    return LabelForecast(_search(sizes, reaches), sum(sizes.values()), _mean_rate(sizes, rates), goal)


def _search(sizes: Mapping[str, int], reaches: Callable[[int], bool]) -> int | None:
    """The fewest labels that reach the goal, to a step of an eighth."""
    most = sum(sizes.values())
    n = min(LEAST, most)
    while not reaches(n):
        if n >= most:
            return None
        n = min(most, n + max(4, n // 8))
    return n


def _mean_rate(sizes: Mapping[str, int], rates: Mapping[str, float]) -> float:
    return sum(size * rates[level] for level, size in sizes.items()) / max(1, sum(sizes.values()))


def _draws(
    sizes: Mapping[str, int], rates: Mapping[str, float], n: int, chosen: bool
) -> list[tuple[LabelStratum, ...]]:
    rng = random.Random(n)  # noqa: S311  repeatable, not secret
    population = [level for level, size in sizes.items() for _ in range(size)]
    fixed = list(allocation_order(sizes, n)) if chosen else None
    draws = []
    for _ in range(DRAWS):
        levels = fixed if fixed is not None else rng.sample(population, n)
        labels = {level: levels.count(level) for level in sizes}
        passed = {level: sum(rng.random() < rates[level] for _ in range(labels[level])) for level in sizes}
        strata = join_unlabelled(
            LabelStratum(level, sizes[level], labels[level], passed[level]) for level in sizes
        )
        if not chosen and not judge_adds(strata):
            whole = join_strata(strata)
            strata = [LabelStratum(ALL, whole.cases, whole.labels, whole.passed)]
        draws.append(tuple(strata))
    return draws


@lru_cache(maxsize=20_000)
def _width(strata: tuple[LabelStratum, ...], about: About) -> float:
    shown = shown_interval([stratum_mean(stratum) for stratum in strata], about, 0.95)
    return shown.high - shown.low


@lru_cache(maxsize=20_000)
def _bounds(strata: tuple[LabelStratum, ...], about: About) -> tuple[float, float]:
    bounds = melded_bounds(strata, about, 0.05)
    return bounds.low, bounds.high
