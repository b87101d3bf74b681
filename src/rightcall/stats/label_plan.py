"""Which cases to label: an allocation to the strata of the judge's answer that is fixed before the first label.

Strata where people and judge may differ get more labels, by a guess made beforehand: people pass a tenth of what the
judge fails, nine tenths of what it passes, half of the rest. Choosing label by label from the variance seen so far
gave smaller intervals that covered 90–94 % instead of 95: a stratum that starts with equal labels is then left alone.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from rightcall.core.errors import InputError
from rightcall.records.record import Record
from rightcall.stats.judged_strata import LEVELS, JudgedCases, Judgement, require_mapping

PRIOR = {"fail": 0.1, "split": 0.5, "none": 0.5, "pass": 0.9}
"""Guessed pass rate of each stratum."""

LEAST_IN_STRATUM = 3


class LabelPlan(Record, frozen=True, omit_defaults=False):
    """Cases in the order in which to label them, with the stratum of each and how many are in each stratum.

    A plan of cases drawn at random has no strata. Any prefix of 12 cases or more is the plan of that size. `stratum`
    is what `judged_rate` takes as `chosen`.
    """

    cases: tuple[Any, ...]
    stratum: dict[Any, str]
    allocation: dict[str, int]
    seed: int


def label_plan(
    judgements: Mapping[Any, Judgement],
    n: int,
    *,
    seed: int = 0,
    goldens: Mapping[Any, Hashable] | None = None,
) -> LabelPlan:
    """Choose `n` cases to label: 3 of every stratum, then one at a time where w_c/n_c is largest.

    w_c = N_c √(p(1−p)) with the guessed pass rate p of the stratum. Within a stratum the order is a seeded shuffle;
    with `goldens`, the golden of each case, one random trial of each golden comes first. All cases are planned when
    there are fewer than `n`.
    """
    require_size(n)
    judgements = require_mapping("judgements", judgements)
    judged = JudgedCases(judgements)
    shuffled: dict[str, list[Any]] = {level: [] for level in LEVELS}
    for case in _random_order(judgements, seed, goldens):
        shuffled[judged.level(case)].append(case)
    remaining = {level: iter(cases) for level, cases in shuffled.items()}
    sizes = {level: len(cases) for level, cases in shuffled.items()}
    order = [(next(remaining[level]), level) for level in allocation_order(sizes, n)]
    levels = [level for _, level in order]
    allocation = {level: levels.count(level) for level in LEVELS if sizes[level]}
    return LabelPlan(tuple(case for case, _ in order), dict(order), allocation, seed)


def random_plan(
    cases: Sequence[Any] | Mapping[Any, Any],
    n: int,
    *,
    seed: int = 0,
    goldens: Mapping[Any, Hashable] | None = None,
) -> LabelPlan:
    """Draw `n` cases at random, for one judge with one vote, where choosing gains nothing."""
    require_size(n)
    return LabelPlan(tuple(_random_order(cases, seed, goldens)[:n]), {}, {}, seed)


def require_size(n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InputError("label_plan", f"n must be a whole number of labels, at least 1, got {n!r}")


def allocation_order(sizes: Mapping[str, int], n: int) -> Iterator[str]:
    """The stratum of the first, second, … label, `n` of them or as many as there are cases."""
    weights = {level: sizes.get(level, 0) * math.sqrt(PRIOR[level] * (1 - PRIOR[level])) for level in LEVELS}
    taken = dict.fromkeys(LEVELS, 0)
    for _ in range(min(n, sum(sizes.values()))):
        open_levels = [level for level in LEVELS if taken[level] < sizes.get(level, 0)]
        short = [level for level in open_levels if taken[level] < LEAST_IN_STRATUM]
        # The first labels go round, then the largest w_c/n_c comes next.
        next_level = (
            min(short, key=lambda name: taken[name])
            if short
            else max(open_levels, key=lambda name: weights[name] / taken[name])
        )
        taken[next_level] += 1
        yield next_level


def _random_order(
    cases: Sequence[Any] | Mapping[Any, Any], seed: int, goldens: Mapping[Any, Hashable] | None
) -> list[Any]:
    """The cases shuffled, whatever order they come in; with goldens, one case of each before the second of any."""
    order = sorted(cases, key=repr)
    random.Random(seed).shuffle(order)  # noqa: S311  repeatable, not secret
    if not goldens:
        return order
    first = {goldens.get(case, case): case for case in reversed(order)}
    return sorted(order, key=lambda case: first[goldens.get(case, case)] is not case)
