"""The difference of two agents' rates as people would give them, from labelled and judged pairs of answers.

A pair is both answers to one golden. Its difference d is −1, 0 or 1 by labels; pairs are put into strata by the judged
difference, and x = (1 + d)/2 lies in [0, 1]. The shown interval is that of `judged_interval` on x. The deciding bounds
are those of `pair_bounds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rightcall.core.errors import InputError
from rightcall.core.text import one_line
from rightcall.stats.intervals import Interval, require_share
from rightcall.stats.judged_interval import About, shown_interval, stratum_mean
from rightcall.stats.judged_strata import Judgement, require_known_cases, verdict_share
from rightcall.stats.pair_bounds import difference_bounds
from rightcall.stats.pair_strata import PAIR_LEVELS, PairStratum, usable_pair_strata

LEAST_PAIRS = 8


@dataclass(frozen=True)
class JudgedDifference:
    """By how much people pass more of the second agent's answers, with an interval to show and bounds to decide by.

    `pairs` and `labels` count pairs; `judged` is the judge's own difference. The bounds are computed when first read.
    """

    difference: float
    low: float
    high: float
    judged: float | None
    pairs: int
    labels: int
    unsure: int
    no_verdict: int
    effective_labels: float
    uses_judge: bool
    strata: tuple[PairStratum, ...]
    about: About
    conf: float

    @cached_property
    def _bounds(self) -> Interval:
        return difference_bounds(self.strata, self.about, 1 - self.conf)

    @property
    def lower(self) -> float:
        """The difference is above this with confidence `conf`."""
        return self._bounds.low

    @property
    def upper(self) -> float:
        """The difference is below this with confidence `conf`."""
        return self._bounds.high


Label = bool | None


def judged_difference(
    labels: Mapping[Any, tuple[Label, Label]],
    judgements: Mapping[Any, tuple[Judgement, Judgement]],
    *,
    about: About = "cases_like_these",
    conf: float = 0.95,
) -> JudgedDifference:
    """Estimate the second rate less the first from pairs: labels of some, (first, second), and judgements of all."""
    require_share("judged_difference", "conf", conf)
    require_known_cases(labels, judgements)
    levels, differences = {}, []
    for case, (first, second) in judgements.items():
        shares = verdict_share(first, case), verdict_share(second, case)
        change = None if shares[0] is None or shares[1] is None else shares[1] - shares[0]
        differences += [change] if change is not None else []
        levels[case] = "none" if change is None else PAIR_LEVELS[(change > 0) * 3 or (change == 0) * 1]
    answered = {
        case: bool(pair[1]) - bool(pair[0]) for case, pair in labels.items() if _is_decided(case, pair)
    }
    if len(answered) < LEAST_PAIRS:
        raise InputError(
            "judged_difference",
            f"{len(answered)} pairs with both answers labelled, at least {LEAST_PAIRS} are needed",
            "label both answers of more goldens",
        )
    strata, uses_judge = usable_pair_strata(_pair_strata(levels, answered))
    shown = shown_difference(strata, about, conf)
    return JudgedDifference(
        *shown[:3],
        sum(differences) / len(differences) if differences else None,
        len(judgements), len(answered), len(labels) - len(answered),
        sum(level == "none" for level in levels.values()),
        shown[3], uses_judge, tuple(strata), about, conf,
    )  # fmt: skip


def _is_decided(case: Any, pair: Any) -> bool:
    if not (isinstance(pair, Sequence) and len(pair) == 2 and all(x in (True, False, None) for x in pair)):
        raise InputError(
            f"labels[{one_line(repr(case), 80)}]",
            f"must be two of true, false and None, got {one_line(repr(pair), 80)}",
        )
    return None not in pair


def _pair_strata(levels: Mapping[Any, str], answered: Mapping[Any, int]) -> list[PairStratum]:
    counts = {name: [0, 0, 0, 0] for name in PAIR_LEVELS}
    for case, name in levels.items():
        row = counts[name]
        row[0] += 1
        if case in answered:
            row[1] += 1
            row[2] += answered[case] < 0
            row[3] += answered[case] > 0
    return [PairStratum(name, *row) for name, row in counts.items()]


def shown_difference(
    strata: Sequence[PairStratum], about: About, conf: float
) -> tuple[float, float, float, float]:
    """(difference, low, high, effective labels)."""
    means = [stratum_mean(stratum.values, stratum.squares) for stratum in strata]
    cases = sum(mean.cases for mean in means)
    rate = sum(mean.cases / cases * mean.mean for mean in means)
    spread = sum(m.cases / cases * (m.variance + m.mean**2) for m in means) - rate * rate
    shown = shown_interval(means, about, conf, spread=max(0.0, spread))
    yes_no = shown.rate * (1 - shown.rate)  # the spread that a label is taken to have
    effective = shown.effective_labels * max(0.0, spread) / yes_no if yes_no else shown.effective_labels
    return 2 * shown.rate - 1, 2 * shown.low - 1, 2 * shown.high - 1, effective
