"""The rule of `check`: not worse than the baseline, WORSE, or not settled, with stated risks.

Half of each risk is for stopping early, half for one last look at the planned end:

    s  = h (1 + 1/k)                     the noise h, and k baseline trials behind one x
    λw = min(.95, δ/(δ+s))               W = Π (1 − λw x)         evidence that it is worse
    λf = min(.9/(1−δ), δ/(s+δ²))         F = Π (1 + λf (x + δ))   evidence that it is not worse by δ

E[x] = 0 when nothing changed, so W is a martingale and P(mean of W ever ≥ 2/α) ≤ α/2 (Ville). F is judged at the ends
of rounds: within a round Π E[1 + λ(x+δ)] ≤ 1 for any order of goldens whose mean x is −δ or less (AM-GM). The last look
takes the exchange test at α/2, shared out over the strata, and Gaffke's bound at β/2.

A trial without an answer counts against the word: in F and the bound as failed now and passed before, in W and the
exchange test as passed now and failed before.

WORSE is final only where the caller takes it for final: an alarm that fresh trials do not confirm is spent
(`spend_alarm`), and PASS or INCONCLUSIVE are left. F does not depend on α, so PASS keeps its β.

Pure: fed with x in the drawn order, it never sees a clock, a store or a result that finished first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from rightcall.decide.check_settings import Risks, Stratum, pair_difference
from rightcall.records.record import Record
from rightcall.stats.gaffke import Units, gaffke_bounds, gaffke_p_values, units
from rightcall.stats.permutation import ExchangeTable, exchange_p
from rightcall.stats.sequential import e_value

Cause = Literal["", "worse", "last_look", "settled", "hard", "few", "budget"]
CheckWord = Literal["SAME", "PASS", "NO LOSS SEEN", "WORSE", "INCONCLUSIVE", "ERROR"]


class Decided(Record, frozen=True):
    """The verdict, and its evidence."""

    word: CheckWord
    cause: Cause


class Step(NamedTuple):
    """A unit to run next: which stratum, which of its rounds, which goldens."""

    stratum: int
    round: int
    unit: tuple[str, ...]


class StratumState(Record, frozen=True, omit_defaults=False):
    """The state of a stratum. `settled_after` counts its units; `low` and `p` are of the last look. `difference` is of
    what was answered.

    `error` is the standard error of the difference, for goldens like these where they are a sample, else for these.
    """

    name: str
    goldens: int
    margin: float
    run: int
    rounds: int
    difference: float | None
    e_worse: float
    e_fine: float
    settled_after: int | None = None
    low: float | None = None
    p: float | None = None
    error: float | None = None


class CheckRule:
    """Says what to run next, takes results, and decides as soon as it can.

    `steps()` are all that may be run, in order; a stratum that is settled is left early. `feed` takes the candidate's
    score of each golden of a step (None when it got no answer) and returns the decision once there is one. `end`
    decides at the planned end, or when the budget is spent.
    """

    def __init__(self, strata: Sequence[Stratum], risks: Risks | None = None) -> None:
        self._risks = risks or Risks()
        self._tracks = [_Track(stratum) for stratum in strata]
        self.decided: Decided | None = None
        self._most_evidence = 1.0
        self._alarm_spent = False
        self._last_fed: _Track | None = None

    @property
    def p(self) -> float:
        """The p-value of WORSE: the least alpha that would have given it, whenever the check stopped.

        Half of each risk is for the evidence (Ville), half for the last look, shared out over the strata.
        """
        looks = [track.p for track in self._tracks if track.p is not None and track.settled_after is None]
        return min([1.0, 2 / self._most_evidence, *(2 * len(self._tracks) * p for p in looks)])

    def steps(self) -> Iterator[Step]:
        """What to run, in order; ends when nothing is left to learn."""
        for number, track in enumerate(self._tracks):
            for round_ in range(track.stratum.rounds):
                for unit in track.stratum.order:
                    if self.decided is not None:
                        return
                    if track.settled_after is not None:
                        break
                    yield Step(number, round_, unit)

    def feed(self, step: Step, scores: Mapping[str, float | None]) -> Decided | None:
        """Take one unit into account; results must come in the order of `steps`."""
        if self.decided is not None:
            return self.decided
        track = self._last_fed = self._tracks[step.stratum]
        if track.add(step, scores) < 0:  # otherwise there is no more evidence than before
            evidence = math.fsum(e_value(track.log_worse) for track in self._tracks) / len(self._tracks)
            self._most_evidence = max(self._most_evidence, evidence)
        return self._judge()

    def _judge(self) -> Decided | None:
        if self._most_evidence >= 2 / self._risks.alpha and not self._alarm_spent:
            self.decided = Decided("WORSE", "worse")
        elif self._last_fed is not None:
            self._last_fed.settle(2 / self._risks.beta)
            if all(track.settled_after is not None for track in self._tracks):
                self.decided = Decided("PASS", "settled")
        return self.decided

    def spend_alarm(self) -> Decided | None:
        """Continue after an alarm that was not confirmed: WORSE does not come again."""
        self._alarm_spent = True
        self.decided = None
        return self._judge()

    def lower_alpha(self, alpha: float) -> Decided | None:
        """Continue with a smaller risk of WORSE; an alarm that no longer counts at this level is withdrawn."""
        self._risks = Risks(alpha, self._risks.beta)
        self.decided = None
        return self._judge()

    def sums(self) -> dict[str, float]:
        """The sum of x of each golden so far."""
        totals: dict[str, float] = {}
        for track in self._tracks:
            for golden, total in track.sums():
                totals[golden] = totals.get(golden, 0.0) + total
        return totals

    def end(self) -> Decided:
        """The last look, at the strata that are not settled."""
        if self.decided is None:
            self.decided = self._last_look() if self._tracks else Decided("PASS", "settled")
        return self.decided

    def states(self) -> tuple[StratumState, ...]:
        return tuple(track.state() for track in self._tracks)

    def _last_look(self) -> Decided:
        risks = self._risks
        still_open = [track for track in self._tracks if track.settled_after is None]
        for track in still_open:
            track.look(risks.beta / 2)
        cut = risks.alpha / (2 * len(self._tracks))
        worse = any(track.p is not None and track.p <= cut for track in still_open)
        if worse and not self._alarm_spent:
            return Decided("WORSE", "last_look")
        if all(track.fine for track in still_open):
            return Decided("PASS", "last_look")
        return Decided("INCONCLUSIVE", "last_look")


class _Track:
    """One stratum in progress."""

    def __init__(self, stratum: Stratum) -> None:
        self.stratum = stratum
        margin = stratum.margin
        s = stratum.noise * (1 + 1 / stratum.share_size)
        self.bet_worse = min(0.95, margin / (margin + s))
        self.bet_fine = min(0.9 / (1 - margin), margin / (s + margin**2))
        self.log_worse = self.log_fine = 0.0
        self.settled_after: int | None = None
        self.low: float | None = None
        self.p: float | None = None
        self.fine = False
        self._seen: tuple[Units, float] | None = None
        self._used = 0
        self._rounds: list[list[float]] = [[] for _ in range(stratum.rounds)]
        self._answered: list[float] = []
        self._after: dict[str, list[tuple[int, float]]] = {}

    def add(self, step: Step, scores: Mapping[str, float | None]) -> float:
        """Take a unit into account; its x as it speaks least for "worse"."""
        self._used += 1
        least = self._difference(step, scores, now=0.0, before=1.0)
        most = self._difference(step, scores, now=1.0, before=0.0)
        for golden in step.unit:
            score = scores.get(golden)
            self._after.setdefault(golden, []).append((step.round, 1.0 if score is None else score))
        self._rounds[step.round].append(least)
        if any(scores.get(golden) is not None for golden in step.unit):
            self._answered.append(self._difference(step, scores, now=None, before=None))
        self.log_worse += math.log1p(-self.bet_worse * most)
        self.log_fine += math.log1p(self.bet_fine * (least + self.stratum.margin))
        return most

    def _difference(
        self, step: Step, scores: Mapping[str, float | None], *, now: float | None, before: float | None
    ) -> float:
        """The mean x of a unit, with what trials without an answer count as now and before; None leaves them out."""
        differences = []
        for golden in step.unit:
            score = scores.get(golden)
            after = now if score is None else score
            if after is not None:
                share = self.stratum.share(golden, step.round, before)
                differences.append(pair_difference(share, after))
        return math.fsum(differences) / len(differences)

    def sums(self) -> Iterator[tuple[str, float]]:
        """The sum of x of each golden, with what got no answer as it speaks least for "worse"."""
        for golden, scores in self._after.items():
            shares = (
                pair_difference(self.stratum.share(golden, round_, 0.0), score) for round_, score in scores
            )
            yield golden, math.fsum(shares)

    def settle(self, evidence: float) -> None:
        """A random sample is judged after each unit, chosen goldens only at the end of a round."""
        if self.settled_after is not None or self.log_fine < math.log(evidence):
            return
        if not self.stratum.whole_rounds or self._used % len(self.stratum.order) == 0:
            self.settled_after = self._used

    def look(self, beta: float) -> None:
        """The exchange test and Gaffke's bound on what is complete: whole rounds, where rounds are judged."""
        whole = self._used // len(self.stratum.order) if self.stratum.whole_rounds else self.stratum.rounds
        values = list(chain.from_iterable(self._rounds[:whole]))
        if not values:
            return
        tables = [
            ExchangeTable(
                self.stratum.trials_before(golden, 0.0), tuple(score for r, score in scores if r < whole)
            )
            for golden, scores in self._after.items()
        ]
        self.p = exchange_p(tables)
        ys = units([(1 + x) / 2 for x in values])
        self.fine = gaffke_p_values(ys, (1 - self.stratum.margin) / 2)[0] <= beta
        self._seen = ys, beta

    def state(self) -> StratumState:
        values = self._answered
        low = 2 * gaffke_bounds(*self._seen).low - 1 if self._seen else None
        return StratumState(
            self.stratum.name,
            self.stratum.goldens or sum(map(len, self.stratum.order)),
            self.stratum.margin,
            self._used,
            rounds=self.stratum.rounds,
            difference=math.fsum(values) / len(values) if values else None,
            e_worse=e_value(self.log_worse),
            e_fine=e_value(self.log_fine),
            settled_after=self.settled_after,
            low=low,
            p=self.p,
            error=self._error(values),
        )

    def _error(self, values: Sequence[float]) -> float | None:
        """sqrt(var/n), times sqrt(1 - n/N) where n of N goldens were drawn."""
        if len(values) < 2:
            return None
        mean = math.fsum(values) / len(values)
        spread = math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1)
        drawn = sum(map(len, self.stratum.order[: self._used])) / max(1, self.stratum.goldens)
        left = 1.0 if self.stratum.whole_rounds else max(0.0, 1 - drawn)
        return math.sqrt(spread / len(values) * left)


def settles_at_best(stratum: Stratum, beta: float = 0.05) -> bool:
    """Whether PASS is possible: every x = 0, and the last look still clears the margin.

    With n values at 0, Gaffke's bound is below −δ when n < ln(β/2)/ln(1−δ).
    """
    if stratum.pairs == 0:
        return True
    return stratum.pairs >= math.log(beta / 2) / math.log(1 - stratum.margin)
