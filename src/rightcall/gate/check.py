"""The result of one gate rule: the requirement, the observation and the decision."""

from __future__ import annotations

from typing import Literal

from rightcall.model.record import Record

Word = Literal["PASS", "FAIL", "INCONCLUSIVE", "ERROR"]


class Check(Record, frozen=True):
    """The decision of one rule, with its numbers and a sentence.

    `low` and `high` are the one-sided bounds at 1−alpha. `p_pass` is the probability of results this good if the
    rate were below the limit, `p_fail` of results this bad if it were not; both are None for rules without
    error control (see `controlled`). With several rules they are Holm-adjusted. `only_here` and `only_there`
    name goldens that a comparison with a baseline had to exclude.
    """

    name: str
    word: Word
    sentence: str
    controlled: bool = False
    value: float | None = None
    limit: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    trials: int = 0
    p_pass: float | None = None
    p_fail: float | None = None
    only_here: tuple[str, ...] = ()
    only_there: tuple[str, ...] = ()


def word_for(p_pass: float, p_fail: float, alpha: float) -> Literal["PASS", "FAIL", "INCONCLUSIVE"]:
    """PASS from p ≤ alpha, as the lower bound then reaches the limit; FAIL from p < alpha; else neither."""
    if p_pass <= alpha:
        return "PASS"
    return "FAIL" if p_fail < alpha else "INCONCLUSIVE"
