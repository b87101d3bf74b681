"""The rule `above_floor` of a gate: the pass rate exceeds that of the best trivial agent by a number of points.

The floor is a number of these goldens, and not estimated: only the pass rate has an interval.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.core.text import percent, pluralize
from rightcall.decide.config import Gate
from rightcall.decide.outcome import Outcome, goldens_with_scores
from rightcall.decide.rules import Check, GateRule, RateRule, Word, word_for
from rightcall.model.floor import FloorEvidence
from rightcall.stats.gaffke import gaffke_bounds, gaffke_p_values

NAME = "above floor"


def floor_rule(gate: Gate, evidence: FloorEvidence) -> tuple[GateRule, ...]:
    """The rule of `above_floor`; none when the gate does not have it."""
    if gate.above_floor is None:
        return ()
    floor = evidence.floor
    bounds = floor.bounds(evidence.quarantined) if floor is not None else None
    if floor is None or bounds is None:
        why = (floor.skipped if floor is not None else "") or "the run has none"
        return (UnknownFloorRule(why),)
    least, most = (round(rate + gate.above_floor / 100, 12) for rate in bounds)
    above = f"{gate.above_floor:g} points above " if gate.above_floor else ""
    unknown = (
        f", if {pluralize(floor.left_out, 'golden')} that could not be judged pass" if floor.left_out else ""
    )
    words = f"{above}the floor of {percent(bounds[1])} ({floor.best_deed}{unknown})"
    return (FloorRule(NAME, most, kind=gate.rule, about=gate.about, fails_below=least, words=words),)


class UnknownFloorRule(msgspec.Struct, frozen=True):
    """Nothing is known to be above a floor that is not known."""

    why: str
    name: str = NAME

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """INCONCLUSIVE, whatever the agent did."""
        return Check(
            self.name, "INCONCLUSIVE", f"{self.name} is undecided: the floor is not known ({self.why})"
        )


class FloorRule(RateRule, frozen=True):
    """The pass rate is at least `limit` (PASS), or below `fails_below` (FAIL).

    The two differ when goldens could not be judged or are quarantined: the floor is then known only to lie between two
    rates, and each decision counts them against itself.
    """

    fails_below: float = 0.0
    words: str = ""

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """As a required pass rate is decided; a limit of 100 % or more is never reached."""
        scored = goldens_with_scores(outcomes)
        if scored is None:
            sentence = f"{self.name} is undecided: no golden has a scored trial"
            return Check(self.name, "INCONCLUSIVE", sentence, limit=self.limit)
        check = Check(
            self.name,
            "INCONCLUSIVE",
            "",
            value=scored.mean,
            limit=self.limit,
            n=len(scored.trials),
            trials=sum(map(len, scored.trials)),
        )
        if self.kind == "point":
            check = msgspec.structs.replace(check, word=self._by_point(scored.mean))
            sentence = f"{self._relation(check)} (rule: point, no error control)"
            return msgspec.structs.replace(check, sentence=sentence)
        units = scored.units(self.about)
        low, high = gaffke_bounds(units, alpha)
        p_pass = gaffke_p_values(units, self.limit)[0] if self.limit < 1 else 1.0
        p_fail = float(self.fails_below == scored.mean == 1)  # a flawless run does not rule out 100 %
        if self.fails_below < 1:
            p_fail = gaffke_p_values(units, self.fails_below)[1]
        word = word_for(p_pass, p_fail, alpha)
        check = msgspec.structs.replace(
            check, word=word, controlled=True, low=low, high=high, p_pass=p_pass, p_fail=p_fail
        )
        return msgspec.structs.replace(check, sentence=self.say(check, alpha))

    def _by_point(self, mean: float) -> Word:
        if mean >= self.limit:
            return "PASS"
        return "FAIL" if mean < self.fails_below else "INCONCLUSIVE"

    def say(self, check: Check, alpha: float) -> str:
        """The check as a sentence, for any verdict."""
        low, high = percent(check.low or 0.0), percent(check.high or 0.0)
        confidence = (
            f"with {percent(1 - alpha)} confidence above {low}, with the same confidence below {high}"
        )
        return f"{self._relation(check)}: {confidence}"

    def _relation(self, check: Check) -> str:
        means = {"PASS": "at least", "FAIL": "below"}
        relation = (
            f"{means.get(check.word, 'undecided against')} {percent(min(self.limit, 9.99))}, {self.words}"
        )
        out_of_reach = ", which no agent can show" if self.limit >= 1 else ""
        over = pluralize(check.n, "golden")
        return f"pass rate {percent(check.value or 0.0)} over {over} is {relation}{out_of_reach}"
