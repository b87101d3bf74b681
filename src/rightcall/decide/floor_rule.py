"""The rule `above_floor` of a gate: the pass rate exceeds that of the best trivial agent by a number of points.

The floor is a number of these goldens, and not estimated: only the pass rate has an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rightcall.core.text import hundredths, percent, pluralize
from rightcall.decide.config import Gate
from rightcall.decide.rule_source import Facts, RuleSource
from rightcall.decide.rules import GateRule, RateRule, UnknownRule, Word
from rightcall.records.floor import Floor
from rightcall.stats.gaffke import Units, gaffke_p_values

NAME = "above floor"


class FloorRules(RuleSource):
    """The rule of `above_floor`, by the `floor` of the run and the number of goldens that are `quarantined`."""

    def rules(self, gate: Gate, facts: Facts) -> Sequence[GateRule]:
        if gate.above_floor is None:
            return ()
        floor: Floor | None = facts.get("floor")
        bounds = floor.bounds(facts.get("quarantined", 0)) if floor is not None else None
        if floor is None or bounds is None:
            why = (
                floor.skipped if floor is not None else ""
            ) or "it was not computed by the run; run it again with `audit: {above_floor: …}`"
            return (UnknownRule(NAME, f"the floor is not known ({why})"),)
        least, most = (round(rate + gate.above_floor / 100, 12) for rate in bounds)
        above = f"{gate.above_floor:g} points above " if gate.above_floor else ""
        goldens = pluralize(floor.left_out, "golden")
        unknown = f", if {goldens} that could not be judged pass" if floor.left_out else ""
        words = f"{above}the floor of {percent(bounds[1])} ({floor.best_deed}{unknown})"
        return (FloorRule(NAME, most, kind=gate.rule, about=gate.about, fails_below=least, words=words),)


class FloorRule(RateRule, frozen=True):
    """The pass rate is at least `limit` (PASS), or below `fails_below` (FAIL).

    The two differ when goldens could not be judged or are quarantined: the floor is then known only to lie between two
    rates, and each decision counts them against itself.
    """

    fails_below: float = 0.0
    words: str = ""

    NOTHING_SCORED: ClassVar[str] = "no golden has a scored trial"

    def word_by_point(self, worst: float, best: float) -> Word:
        if worst >= self.limit:
            return "PASS"
        return "FAIL" if best < self.fails_below else "INCONCLUSIVE"

    def p_pass(self, worst: Units) -> float:
        """As that of a required pass rate; a limit of 0 is always reached, and one of 100 % or more never."""
        return gaffke_p_values(worst, self.limit)[0] if 0 < self.limit < 1 else float(self.limit >= 1)

    def p_fail(self, best: Units, mean: float) -> float:
        if self.fails_below <= 0:
            return 1.0
        if self.fails_below < 1:
            return gaffke_p_values(best, self.fails_below)[1]
        return float(self.fails_below == mean == 1)  # a flawless run does not rule out 100 %

    @property
    def wanted(self) -> str:
        out_of_reach = ", which no agent can show" if self.limit >= 1 else ""
        return f"{hundredths(min(self.limit, 9.99))}% wanted, {self.words}{out_of_reach}"

    @property
    def lower_limit(self) -> float:
        return self.fails_below
