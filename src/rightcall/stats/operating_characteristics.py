"""Exact operating characteristics of a stopping rule: decision probabilities and mean number of cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rightcall.stats.sequential import Decision

Rule = Callable[[int, int], Decision | None]
"""(passes, cases) → a decision, or None to continue."""


class Operating(NamedTuple):
    """Probability of each decision and the mean number of cases used."""

    passing: float
    failing: float
    inconclusive: float
    cases: float


def operating(rule: Rule, total: int, rate: float) -> Operating:
    """Follow every path of up to `total` independent cases that pass with probability `rate`.

    Forward recursion over (cases, passes), O(total²). Undecided paths are INCONCLUSIVE.
    """
    chances = {"PASS": 0.0, "FAIL": 0.0, "INCONCLUSIVE": 0.0}
    alive, used = {0: 1.0}, 0.0
    for n in range(1, total + 1):
        after: dict[int, float] = {}
        for s, chance in alive.items():
            after[s] = after.get(s, 0.0) + chance * (1 - rate)
            after[s + 1] = after.get(s + 1, 0.0) + chance * rate
        alive = {}
        for s, chance in after.items():
            decision = rule(s, n) or ("INCONCLUSIVE" if n == total else None)
            if decision is None:
                alive[s] = chance
            else:
                chances[decision] += chance
                used += n * chance
    return Operating(chances["PASS"], chances["FAIL"], chances["INCONCLUSIVE"], used)
