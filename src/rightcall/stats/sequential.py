"""Early stopping: evidence that may be checked after every case.

Cases must come in a random order drawn beforehand. Sorted cases turn a 5 % error into a 100 % one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from rightcall.stats.intervals import Interval, require_counts, require_order, require_share
from rightcall.stats.special import log_beta

Decision = Literal["PASS", "FAIL", "INCONCLUSIVE"]


def sprt_log_e(s: float, n: float, p0: float, p1: float) -> float:
    """Log likelihood ratio s ln(p1/p0) + (n−s) ln((1−p1)/(1−p0)). Wald, Ann. Math. Stat. 16 (1945) 117."""
    require_counts("sprt_log_e", s, n)
    require_order("sprt_log_e", p0, p1)
    return s * math.log(p1 / p0) + (n - s) * math.log((1 - p1) / (1 - p0))


class LogE(NamedTuple):
    """ln E+ (evidence against "at most min") and ln E− (evidence against "at least target")."""

    plus: float
    minus: float


def log_e_step(x: float, p0: float, p1: float) -> LogE:
    """What one score x in [0, 1] adds: ln(1 + λ+(x−p0)) and ln(1 − λ−(x−p1)).

    λ+ = (p1−p0)/(p0(1−p0)), λ− = (p1−p0)/(p1(1−p1)); for x in {0, 1} the likelihood ratio and its inverse.
    """
    gap = p1 - p0
    plus = math.log1p(gap / (p0 * (1 - p0)) * (x - p0))
    return LogE(plus, math.log1p(-gap / (p1 * (1 - p1)) * (x - p1)))


def log_e_values(x: Iterable[float], p0: float, p1: float) -> LogE:
    """(ln E+, ln E−) after the scores x, in their order.

    Ville: P(E+ ever ≥ 1/α | mean ≤ p0) ≤ α and P(E− ever ≥ 1/β | mean ≥ p1) ≤ β, at any time of looking.
    Ramdas et al., Statistical Science 38 (2023) 576.
    """
    require_order("log_e_values", p0, p1)
    steps = [log_e_step(value, p0, p1) for value in x]
    return LogE(math.fsum(s.plus for s in steps), math.fsum(s.minus for s in steps))


def e_value(log_e: float) -> float:
    """The e-value of a logarithm, which may be too large for a float."""
    return math.exp(min(log_e, 600.0))


def e_decision(log_e: LogE, alpha: float = 0.05, beta: float = 0.05) -> Decision | None:
    """PASS when E+ ≥ 1/alpha, FAIL when E− ≥ 1/beta, INCONCLUSIVE when both, otherwise continue."""
    up = log_e.plus >= -math.log(alpha)
    down = log_e.minus >= -math.log(beta)
    if up and down:
        return "INCONCLUSIVE"
    return "PASS" if up else "FAIL" if down else None


def fastest_stops(p0: float, p1: float, alpha: float = 0.05, beta: float = 0.05) -> tuple[int, int]:
    """The earliest PASS (only passes) and FAIL (only failures) of the e-value stop.

    ⌈ln(1/α)/ln(p1/p0)⌉ and ⌈ln(1/β)/ln((1−p0)/(1−p1))⌉.
    """
    require_order("fastest_stops", p0, p1)
    require_share("fastest_stops", "alpha", alpha)
    require_share("fastest_stops", "beta", beta)
    up = -math.log(alpha) / math.log(p1 / p0)
    down = -math.log(beta) / math.log((1 - p0) / (1 - p1))
    return math.ceil(up - 1e-12), math.ceil(down - 1e-12)


def mixture_log_e(s: float, n: float, p: float) -> float:
    """The log e-value of "the share is p" under Jeffreys' mixture.

    ln B(½+s, ½+n−s) − ln B(½, ½) − s ln p − (n−s) ln(1−p).
    Robbins, Ann. Math. Stat. 41 (1970) 1397.
    """
    require_counts("mixture_log_e", s, n)
    log_likelihood = (s * math.log(p) if s else 0.0) + ((n - s) * math.log1p(-p) if n > s else 0.0)
    return log_beta(0.5 + s, 0.5 + n - s) - log_beta(0.5, 0.5) - log_likelihood


def confidence_sequence(s: float, n: float, alpha: float = 0.05) -> Interval:
    """All p with mixture_log_e < ln(1/alpha): valid at every n simultaneously with probability 1−alpha.

    For dashboards viewed during a run; wider than any interval for a fixed n.
    """
    require_counts("confidence_sequence", s, n)
    require_share("confidence_sequence", "alpha", alpha)
    if n == 0:
        return Interval(0.0, 1.0)
    limit = -math.log(alpha)
    low = 0.0 if s <= 0 else _bound_crossing(s, n, 0.0, limit)
    high = 1.0 if s >= n else _bound_crossing(s, n, 1.0, limit)
    return Interval(low, high)


def _bound_crossing(s: float, n: float, outside: float, limit: float) -> float:
    inside = s / n
    for _ in range(200):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if mixture_log_e(s, n, middle) < limit else (inside, middle)
    return inside


Rule = Callable[[int, int], Decision | None]
"""(passes, cases) → a decision, or None to continue."""


class Operating(NamedTuple):
    """Probability of each decision and the mean number of cases used."""

    passing: float
    failing: float
    inconclusive: float
    cases: float


def follow_paths(rule: Rule, total: int, rate: float) -> Operating:
    """Follow every path of up to `total` independent cases that pass with probability `rate`.

    Forward recursion over (cases, passes), O(total²). Undecided paths are INCONCLUSIVE.
    """
    chances = {"PASS": 0.0, "FAIL": 0.0, "INCONCLUSIVE": 0.0}
    alive = {0: 1.0}
    used = 0.0
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
