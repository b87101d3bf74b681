"""Strata of a judge's answer: fail, split, none, pass. What each holds, which are joined for want of labels, and
whether they are used.

`fail` and `pass` are unanimous; `split` is anything between; `none` is a case without any verdict, which is neither a
failure nor a hole. Votes without a verdict are left out of a case that has others: what the others say is its stratum.

A judge is used only when the labels show that its answers tell passing cases from failing ones: one that says nothing
would widen the interval for nothing, and one failure among many passes cannot rate a judge. So there must be 3 labels
of each kind, people pass more of what it passes than of what it fails, and F ≥ 2:

    F = [(S − S_w)/(C−1)] / [S_w/(n−C)],  S = k − k²/n,  S_w = Σ (k_c − k_c²/n_c)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

from rightcall.core.errors import InputError
from rightcall.core.text import first_names, one_line
from rightcall.records.record import Record
from rightcall.stats.intervals import Interval, clopper_pearson

Judgement = bool | float | Sequence[bool | float | None] | None
LEVELS = ("fail", "split", "none", "pass")
ENDS = frozenset({"fail", "pass"})
ALL = "all"
KNOWN = "known"
TIE = 0.5
"""A case is passed by more than half of its verdicts; exactly half decide nothing."""


class LabelStratum(Record, frozen=True, omit_defaults=False):
    """`cases` of one kind, `labels` of them labelled, `passed` of those. A joined one is named `fail+split`."""

    name: str
    cases: int
    labels: int
    passed: float

    @property
    def mirrored(self) -> LabelStratum:
        """The same with pass and fail exchanged."""
        return LabelStratum(self.name, self.cases, self.labels, self.labels - self.passed)


def verdict_share(judgement: Any, case: Hashable = "") -> float | None:
    """A judgement as the share of its verdicts that pass; None if it has none. Anything else is an InputError."""
    if hasattr(judgement, "tolist"):  # numpy's scalars and arrays
        judgement = judgement.tolist()
    if judgement is None:
        return None
    if isinstance(judgement, bool | int | float):
        if 0 <= judgement <= 1:
            return float(judgement)
    elif (
        isinstance(judgement, Sequence)
        and not isinstance(judgement, str | bytes)
        and not any(isinstance(vote, Sequence) for vote in judgement)
    ):
        votes = [share for vote in judgement if (share := verdict_share(vote, case)) is not None]
        return sum(votes) / len(votes) if votes else None
    raise InputError(
        f"judgements[{one_line(repr(case), 80)}]",
        f"must be true, false, a share from 0 to 1, None or a list of those, got {one_line(repr(judgement), 80)}",
    )


def level(judgement: Judgement, case: Hashable = "") -> str:
    """The stratum of a judgement."""
    share = verdict_share(judgement, case)
    if share is None:
        return "none"
    return "fail" if share == 0 else "pass" if share == 1 else "split"


class JudgedCases:
    """Judgements by case, with their levels counted once for equal judgements: a hundred thousand cost milliseconds."""

    def __init__(self, judgements: Mapping[Any, Judgement], left_out: Collection[Any] = ()) -> None:
        self._judgements = judgements
        try:
            tally: Counter[Any] = Counter(judgements.values())
            self._shares = {judgement: verdict_share(judgement) for judgement in tally}
        except (TypeError, InputError):  # lists have no hash; and an error names its case
            shares = {case: verdict_share(judgement, case) for case, judgement in judgements.items()}
            self._judgements = shares
            tally = Counter(shares.values())
            self._shares = {share: share for share in tally}
        tally.subtract(Counter(self._judgements[case] for case in left_out))
        self.cases = dict.fromkeys(LEVELS, 0)
        self.verdicts = self.decided = self.passed = 0
        for judgement, number in sorted(tally.items(), key=lambda item: repr(item[0])):
            share = self._shares[judgement]
            self.cases[level(share)] += number
            if share is not None:
                self.verdicts += number
                self.decided += number * (share != TIE)
                self.passed += number * (share > TIE)

    def share(self, case: Any) -> float | None:
        return self._shares[self._judgements[case]]

    def level(self, case: Any) -> str:
        return level(self.share(case))


def require_mapping(name: str, values: Any) -> Mapping[Any, Any]:
    """Values by case id; anything with `items()`, such as a column of pandas, is read as one."""
    if isinstance(values, Mapping):
        return values
    if callable(getattr(values, "items", None)):
        return dict(values.items())
    raise InputError(
        "judged_rate",
        f"{name} must map case ids to values, got {type(values).__name__}",
        'such as {"case-1": True}',
    )


def require_known_cases(labels: Iterable[Any], judgements: Mapping[Any, Any]) -> None:
    """An InputError that names the first three labels of cases that were not judged."""
    strangers = [case for case in labels if case not in judgements]
    if strangers:
        raise InputError(
            "judged_rate",
            f"labels for {len(strangers)} cases that are not in judgements: "
            + first_names([one_line(str(case), 80) for case in strangers], 3),
            "pass the judgement of every case of the run, None where the judge gave no verdict",
        )


def join_unlabelled(strata: Iterable[LabelStratum]) -> list[LabelStratum]:
    """Every stratum without a label joined with its neighbour that has fewer cases.

    `split` and `none` stand between `fail` and `pass`. Of equal neighbours, that with fewer labels; of those still
    equal, all. So exchanging pass and fail everywhere joins the same cases.
    """
    groups = {frozenset([stratum.name]): stratum for stratum in strata if stratum.cases}
    while len(groups) > 1 and not all(stratum.labels for stratum in groups.values()):
        fewest = min(stratum.cases for stratum in groups.values() if not stratum.labels)
        unions = [
            _with_smallest_neighbours(names, groups)
            for names, stratum in groups.items()
            if not stratum.labels and stratum.cases == fewest
        ]
        groups = _join_groups(groups, unions)
    return sorted(groups.values(), key=lambda stratum: place(stratum.name))


Groups = dict[frozenset[str], LabelStratum]


def _with_smallest_neighbours(names: frozenset[str], groups: Groups) -> frozenset[str]:
    others = {other: stratum for other, stratum in groups.items() if other != names}
    neighbours = {other: stratum for other, stratum in others.items() if other | names != ENDS} or others
    smallest = min((stratum.cases, stratum.labels) for stratum in neighbours.values())
    return names.union(
        *(other for other, stratum in neighbours.items() if (stratum.cases, stratum.labels) == smallest)
    )


def _join_groups(groups: Groups, unions: list[frozenset[str]]) -> Groups:
    """The groups with those of each union together; unions that share a group are one."""
    joined: Groups = {}
    for names, stratum in groups.items():
        whole = names
        for _ in unions:  # as often as a chain of overlapping unions may be long
            whole = whole.union(*(union for union in unions if union & whole))
        joined[whole] = join_strata([joined[whole], stratum]) if whole in joined else stratum
    return joined


def join_strata(strata: Sequence[LabelStratum]) -> LabelStratum:
    """One stratum of the cases of several."""
    names = sorted(set(chain.from_iterable(stratum.name.split("+") for stratum in strata)), key=place)
    return LabelStratum(
        "+".join(names),
        sum(stratum.cases for stratum in strata),
        sum(stratum.labels for stratum in strata),
        sum(stratum.passed for stratum in strata),
    )


def place(name: str) -> int:
    """The place of a stratum from fail to pass; any others follow."""
    first = name.partition("+")[0]
    return LEVELS.index(first) if first in LEVELS else len(LEVELS)


LEAST_OF_A_KIND = 3
LEAST_F = 2.0


def usable_strata(strata: Sequence[LabelStratum], chosen: bool) -> tuple[list[LabelStratum], bool]:
    """The strata to estimate from, and whether they are the judge's.

    Labels that were chosen by stratum are no plain sample: their strata are always used.
    """
    joined = join_unlabelled(strata)
    if chosen or judge_adds(joined):
        return joined, bool(joined)
    whole = join_strata(joined)
    return [LabelStratum(ALL, whole.cases, whole.labels, whole.passed)] if joined else [], False


def judge_adds(strata: Sequence[LabelStratum]) -> bool:
    """Whether these strata, each with labels, are worth keeping apart."""
    labels = sum(s.labels for s in strata)
    passed = sum(s.passed for s in strata)
    if min(passed, labels - passed) < LEAST_OF_A_KIND:
        return False
    return _points_the_right_way(strata) and f_ratio(strata) >= LEAST_F


def _points_the_right_way(strata: Sequence[LabelStratum]) -> bool:
    """People pass more of `pass` than of `fail`; where the judge never says one of them, than of all the rest."""
    passing = [s for s in strata if "pass" in s.name.split("+")]
    failing = [s for s in strata if "fail" in s.name.split("+")]
    if passing == failing:  # the same stratum, or neither exists
        return False
    high = passing or [s for s in strata if s not in failing]
    low = failing or [s for s in strata if s not in passing]
    return _pool(high) > _pool(low) if high and low else False


def _pool(strata: Sequence[LabelStratum]) -> float:
    return sum(s.passed for s in strata) / sum(s.labels for s in strata)


def f_ratio(strata: Sequence[LabelStratum]) -> float:
    """F of the labels between and within strata; infinite when the strata explain everything."""
    labels = sum(s.labels for s in strata)
    passed = sum(s.passed for s in strata)
    spare = labels - len(strata)
    if len(strata) < 2 or spare <= 0:
        return 0.0
    total = passed - passed * passed / labels
    within = sum(s.passed - s.passed**2 / s.labels for s in strata)
    between = max(0.0, total - within)
    if within <= 1e-12:
        return float("inf") if between > 1e-12 else 0.0
    return between / (len(strata) - 1) / (within / spare)


About = Literal["cases_like_these", "these_cases"]


class StratumMean(NamedTuple):
    """A stratum of values in [0, 1]: number of cases, of labels, mean of the labelled and its smoothed variance."""

    cases: int
    labels: int
    mean: float
    variance: float


class ShownInterval(NamedTuple):
    """A rate with its interval, and the number of plain labels that would be worth as much."""

    rate: float
    low: float
    high: float
    effective_labels: float


def stratum_mean(stratum: LabelStratum) -> StratumMean:
    """Mean and variance of a stratum's labels.

    The variance has half a pass and half a failure added, so that equal labels do not look certain.
    """
    n = stratum.labels
    k = stratum.passed
    smooth = (k + 0.5) / (n + 1)
    return StratumMean(stratum.cases, n, k / n if n else 0.0, smooth * (1 - smooth))


def weighted_rate(strata: Sequence[StratumMean]) -> float:
    """Σ (N_c/N) k_c/n_c."""
    total = sum(stratum.cases for stratum in strata)
    return min(1.0, max(0.0, math.fsum(stratum.cases / total * stratum.mean for stratum in strata)))


def shown_interval(
    strata: Sequence[StratumMean],
    about: About,
    conf: float,
    *,
    cluster: float = 1.0,
) -> ShownInterval:
    """The rate over the strata and its two-sided interval. A stratum whose labels are all of its cases adds no doubt.

    `cluster` is Σ n_g²/N, 1 when every case is drawn by itself: trials of a golden may all go together.
    """
    rate = weighted_rate(strata)
    inverse = inverse_size(strata, about, cluster=cluster)
    cases = sum(stratum.cases for stratum in strata)
    if inverse <= 0:
        return ShownInterval(rate, rate, rate, float(cases))
    bounds = _fractional_interval(rate, 1 / inverse, conf)
    return ShownInterval(rate, *bounds, 1 / (inverse if about == "cases_like_these" else inverse + 1 / cases))


def inverse_size(strata: Sequence[StratumMean], about: About, *, cluster: float = 1.0) -> float:
    """1/m* = v/(rate(1−rate)): one by the number of plain cases that would leave as much doubt; 0 for none."""
    cases = sum(stratum.cases for stratum in strata)
    sampled = [stratum for stratum in strata if stratum.labels < stratum.cases]
    rate = weighted_rate(strata)
    within = rate * (1 - rate)
    from_cases = cluster / cases if about == "cases_like_these" else 0.0
    if within <= 0 or len(strata) == 1:
        open_cases = sum(s.cases for s in sampled)
        labels = sum(s.labels for s in sampled)
        return ((open_cases - labels) / cases / labels if open_cases else 0.0) + from_cases
    doubts = [(s.cases / cases) ** 2 * s.variance / s.labels * (1 - s.labels / s.cases) for s in sampled]
    return (math.fsum(doubts) + within * from_cases) / within


def _fractional_interval(rate: float, size: float, conf: float) -> Interval:
    """Clopper-Pearson for a share of a fractional number of cases; the rate always lies within."""
    low, high = clopper_pearson(min(size, size * rate), size, conf)
    return Interval(min(low, rate), max(high, rate))
