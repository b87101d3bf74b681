"""The difference of two agents' rates as people would give them, from labelled and judged pairs of answers.

A pair is both answers to one golden. Its difference d is −1, 0 or 1 by labels; pairs are put into strata by the judged
difference, and x = (1 + d)/2 lies in [0, 1]. The shown interval is that of `judged_interval` on x.

The deciding bounds are melded Gaffke draws. In each stratum Dirichlet weights of the labelled values −1, 0 and 1, with
one for the worst, fill in the unlabelled pairs; then, about cases like these, the same for all pairs. They are seeded;
`python -m benchmarks judged --part pairs` simulates their errors.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rightcall.core.errors import InputError
from rightcall.core.text import one_line
from rightcall.model.record import Record
from rightcall.stats.agreement import quantile_of_sorted
from rightcall.stats.intervals import Interval, require_share
from rightcall.stats.judged_interval import About, shown_interval, stratum_mean
from rightcall.stats.judged_strata import (
    ALL,
    LEAST_F,
    Judgement,
    LabelStratum,
    f_ratio,
    require_known_cases,
    verdict_share,
)
from rightcall.stats.special import binomial_draw

LEAST_PAIRS = 8
PAIR_LEVELS = ("worse", "same", "none", "better")
LEAST_DIFFERENT, LEAST_IN_STRATUM = 3, 2


class PairStratum(Record, frozen=True, omit_defaults=False):
    """`cases` pairs of one judged difference; of the `labels` labelled ones, `worse` and `better` by people."""

    name: str
    cases: int
    labels: int
    worse: int
    better: int

    @property
    def values(self) -> LabelStratum:
        """The same on the scale of x = (1 + d)/2."""
        return LabelStratum(self.name, self.cases, self.labels, (self.labels + self.better - self.worse) / 2)

    @property
    def squares(self) -> float:
        """Σ x²."""
        return self.better + (self.labels - self.better - self.worse) / 4

    @property
    def mirrored(self) -> PairStratum:
        return PairStratum(self.name, self.cases, self.labels, self.better, self.worse)


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


def usable_pair_strata(strata: Sequence[PairStratum]) -> tuple[list[PairStratum], bool]:
    """The strata to estimate from, and whether they are the judge's: those with few labels join the largest."""
    used = [stratum for stratum in strata if stratum.labels >= LEAST_IN_STRATUM]
    short = [stratum for stratum in strata if stratum.labels < LEAST_IN_STRATUM and stratum.cases]
    if short:
        largest = max(used or short, key=lambda stratum: stratum.cases)
        used = [stratum for stratum in used if stratum != largest]
        used.append(_join_pairs([largest, *(s for s in short if s != largest)], largest.name))
    if pairs_add(used):
        return used, True
    return [_join_pairs(used, ALL)], False


def pairs_add(strata: Sequence[PairStratum]) -> bool:
    """Whether the judged difference says something about the labelled one: 3 pairs differ, rightly, and F ≥ 2."""
    by_name = {stratum.name: stratum for stratum in strata}
    better, worse = by_name.get("better"), by_name.get("worse")
    if sum(s.better + s.worse for s in strata) < LEAST_DIFFERENT or better == worse:
        return False
    values = [stratum.values for stratum in strata]
    means = {value.name: value.passed / value.labels for value in values}
    rest = sum(value.passed for value in values) / sum(value.labels for value in values)
    if means.get("better", rest) <= means.get("worse", rest):
        return False
    return f_ratio(values, [stratum.squares for stratum in strata]) >= LEAST_F


def _join_pairs(strata: Sequence[PairStratum], name: str) -> PairStratum:
    columns = zip(*((s.cases, s.labels, s.worse, s.better) for s in strata), strict=True)
    return PairStratum(name, *(sum(column) for column in columns))


DRAWS = 2_000


def difference_bounds(
    strata: Sequence[PairStratum], about: About, alpha: float, draws: int = DRAWS
) -> Interval:
    """One-sided lower and upper bound of the difference at 1−α each, by seeded draws."""
    cases = sum(stratum.cases for stratum in strata)
    difference = sum(s.cases / cases * (s.better - s.worse) / s.labels for s in strata)
    lower = quantile_of_sorted(sorted(_differences(strata, about, draws)), alpha)
    upper = -quantile_of_sorted(sorted(_differences([s.mirrored for s in strata], about, draws)), alpha)
    return Interval(min(lower, difference), max(upper, difference))


def _differences(strata: Sequence[PairStratum], about: About, draws: int) -> list[float]:
    rng = random.Random(0)  # noqa: S311  repeatable, not secret
    cases = sum(stratum.cases for stratum in strata)
    differences = []
    for _ in range(draws):
        worse = better = 0
        for stratum in strata:
            same = stratum.labels - stratum.worse - stratum.better
            down, level, up = _shares(rng, stratum.worse + 1, same, stratum.better)
            gains = binomial_draw(rng, stratum.cases - stratum.labels, up)
            losses = binomial_draw(
                rng, stratum.cases - stratum.labels - gains, down / (down + level) if down else 0.0
            )
            worse, better = worse + stratum.worse + losses, better + stratum.better + gains
        if about == "cases_like_these":
            down, _, up = _shares(rng, worse + 1, cases - worse - better, better)
            differences.append(up - down)
        else:
            differences.append((better - worse) / cases)
    return differences


def _shares(rng: random.Random, *counts: int) -> list[float]:
    """A draw of Dirichlet(counts); a count of 0 has no share."""
    parts = [rng.gammavariate(count, 1.0) if count else 0.0 for count in counts]
    total = sum(parts)
    return [part / total for part in parts]
