"""Whether a judge is used: only when the labels show that its answers tell passing cases from failing ones.

A judge that says nothing would widen the interval for nothing, and one failure among many passes cannot rate a judge.
So it is used if there are 3 labels of each kind, people pass more of what it passes than of what it fails, and F ≥ 2:

    F = [(S − S_w)/(C−1)] / [S_w/(n−C)],  S = k − k²/n,  S_w = Σ (k_c − k_c²/n_c)
"""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.stats.judged_strata import ALL, LabelStratum, join_strata, join_unlabelled

LEAST_OF_A_KIND, LEAST_F = 3, 2.0


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
    labels, passed = sum(s.labels for s in strata), sum(s.passed for s in strata)
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


def f_ratio(strata: Sequence[LabelStratum], squares: Sequence[float] | None = None) -> float:
    """F of the labels between and within strata; infinite when the strata explain everything.

    `squares` are the sums of squares of each stratum's values when they are not all 0 or 1.
    """
    squares = [s.passed for s in strata] if squares is None else squares
    labels, passed = sum(s.labels for s in strata), sum(s.passed for s in strata)
    spare = labels - len(strata)
    if len(strata) < 2 or spare <= 0:
        return 0.0
    total = sum(squares) - passed * passed / labels
    within = sum(square - s.passed**2 / s.labels for s, square in zip(strata, squares, strict=True))
    between = max(0.0, total - within)
    if within <= 1e-12:
        return float("inf") if between > 1e-12 else 0.0
    return between / (len(strata) - 1) / (within / spare)
