"""Judged rates where several cases are trials of one golden: about cases like these, goldens are what is drawn.

The unlabelled cases are filled in by their stratum's draw as in `melded_bounds`, but those of a golden together, with
one draw: filled in one by one, goldens would look more alike than they are, and 10 % of the upper bounds were wrong
where nominally 5 are (80 goldens of 5 trials, correlated .8). The last step weighs goldens instead of cases: Gaffke's
Dirichlet weights, with a golden not drawn that is as large as the largest and the worst it can be. By seeded draws,
since golden means are not yes or no; for one trial of each golden it is the distribution of `melded_bounds`, which is
exact.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rightcall.core.errors import InputError
from rightcall.core.text import first_names
from rightcall.stats.bootstrap_interval import quantile_of_sorted
from rightcall.stats.intervals import Interval
from rightcall.stats.judged_strata import ALL, LabelStratum

DRAWS = 2_000


class GoldenCases(NamedTuple):
    """The cases of one golden: how many, how many surely pass, and in which strata the unlabelled ones are."""

    size: int
    passed: int
    open_cases: tuple[int, ...]


class TrialsByGolden(NamedTuple):
    """The goldens of a run, and Σ n_g²/N: 1 for one trial of each."""

    goldens: tuple[GoldenCases, ...]
    cluster: float


def golden_trials(
    goldens: Mapping[Any, Hashable],
    judgements: Mapping[Any, Any],
    known: Mapping[Any, bool],
    answered: Mapping[Any, bool],
    level_of: Callable[[Any], str],
    strata: Sequence[LabelStratum],
) -> TrialsByGolden | None:
    """The cases by golden; None when every golden has one case."""
    cases = [*judgements, *(case for case in known if case not in judgements)]
    strangers = [str(case) for case in cases if case not in goldens]
    if strangers:
        raise InputError("judged_rate", f"goldens has no golden for {first_names(strangers, 3)}")
    sizes = Counter(goldens[case] for case in cases)
    if max(sizes.values()) == 1:
        return None
    index = {name: i for i, stratum in enumerate(strata) for name in stratum.name.split("+")}
    certain = {**answered, **known}
    passed: Counter[Hashable] = Counter()
    open_cases: dict[Hashable, list[int]] = {}
    for case in cases:
        golden = goldens[case]
        if case in certain:
            passed[golden] += bool(certain[case])
        else:
            place = index[ALL] if ALL in index else index[level_of(case)]
            open_cases.setdefault(golden, []).append(place)
    rows = (GoldenCases(size, passed[g], tuple(sorted(open_cases.get(g, ())))) for g, size in sizes.items())
    return TrialsByGolden(tuple(sorted(rows)), sum(size * size for size in sizes.values()) / len(cases))


def trial_bounds(
    trials: TrialsByGolden, strata: Sequence[LabelStratum], alpha: float, draws: int = DRAWS
) -> Interval:
    """One-sided lower and upper bound at 1−α each."""
    rate = sum(s.cases * s.passed / s.labels for s in strata) / sum(s.cases for s in strata)
    lower = quantile_of_sorted(sorted(_rates(trials.goldens, strata, draws)), alpha)
    upper = 1 - quantile_of_sorted(sorted(_rates(*_mirror(trials, strata), draws)), alpha)
    return Interval(min(lower, rate), max(upper, rate))


def trial_p_values(
    trials: TrialsByGolden, strata: Sequence[LabelStratum], theta: float
) -> tuple[float, float]:
    """The evidence against "below θ" and against "θ or more": shares of the draws of either bound."""
    below = sum(draw < theta for draw in _rates(trials.goldens, strata, DRAWS))
    above = sum(1 - draw > theta for draw in _rates(*_mirror(trials, strata), DRAWS))
    return below / DRAWS, above / DRAWS


def _mirror(
    trials: TrialsByGolden, strata: Sequence[LabelStratum]
) -> tuple[list[GoldenCases], list[LabelStratum]]:
    """Goldens and strata with pass and fail exchanged."""
    goldens = [
        GoldenCases(row.size, row.size - row.passed - len(row.open_cases), row.open_cases)
        for row in trials.goldens
    ]
    return goldens, [stratum.mirrored for stratum in strata]


def _rates(goldens: Sequence[GoldenCases], strata: Sequence[LabelStratum], draws: int) -> Iterable[float]:
    rng = random.Random(0)  # noqa: S311  repeatable, not secret
    chance, weight = rng.random, rng.expovariate
    unseen = max(row.size for row in goldens)
    for _ in range(draws):
        rates = [
            rng.betavariate(s.passed, s.labels - s.passed + 1) if s.passed and s.labels < s.cases else 0.0
            for s in strata
        ]
        total = unseen * weight(1.0)
        passed = 0.0
        for size, certain, open_cases in goldens:
            drawn = weight(1.0)
            total += size * drawn
            luck = chance()
            passed += drawn * (certain + sum([luck < rates[place] for place in open_cases]))
        yield passed / total
