"""The confirmation of an alarm: fresh trials of the base and of the candidate, in pairs, on the goldens that broke.

    x = candidate − base        V = Π (1 − .8 x)        confirmed once V ≥ 1/level

If nothing changed, the two trials of a pair are exchangeable, so E[x | all before] = 0, V is a martingale and
P(V ever ≥ 1/level) ≤ level (Ville), whatever the alarm saw. The alarm may choose the goldens because none of its trials
is compared again, and the next golden may be chosen by the pairs before it: the one that lost most.

Pure: fed with x in the order of the pairs, it never sees a clock, a store or a process.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rightcall.stats.sequential import e_value

BET = 0.8
MOST_GOLDENS = 12
MOST_PAIRS = 40
AT_ONCE = 8
"""Pairs that are run at the same time."""
HOPELESS = 0.02
"""The evidence at which an alarm is given up."""
FUTILE_PAIRS = 10
"""Pairs of one golden, and half of those of several, after which evidence of 1 to 1 is given up as well."""


class TrialScores(NamedTuple):
    """The candidate's score and the base's; None without an answer, or where it was not asked."""

    candidate: float | None
    base: float | None = None


class PairedEvidence:
    """V of the pairs so far, and whether it is enough. Pairs after that change nothing."""

    def __init__(self, level: float) -> None:
        self.level = level
        self._enough = -math.log(level)
        self._log = 0.0
        self.confirmed = False
        self.pairs = 0

    @property
    def evidence(self) -> float:
        """V, to 1."""
        return e_value(self._log)

    @property
    def pairs_needed(self) -> int:
        """Further pairs that confirm the alarm if the candidate loses all of them."""
        return max(0, math.ceil((self._enough - self._log) / math.log1p(BET) - 1e-9))

    def feed(self, x: float) -> bool:
        """Take a pair into account; whether the alarm is confirmed."""
        if not self.confirmed:
            self.pairs += 1
            self._log += math.log1p(-BET * x)
            self.confirmed = self._log >= self._enough - 1e-12
        return self.confirmed


class PairedTrials:
    """The pairs of an alarm: which to run next, and what they showed.

    `compared` are those in which both versions answered: golden, candidate, base.
    """

    def __init__(self, goldens: Sequence[str], level: float) -> None:
        self.goldens = tuple(goldens)
        self.evidence = PairedEvidence(level)
        self.compared: list[tuple[str, float, float]] = []
        self._lost = dict.fromkeys(self.goldens, 0.0)
        self._tried = dict.fromkeys(self.goldens, 0)

    @property
    def confirmed(self) -> bool:
        return self.evidence.confirmed

    def next_pairs(self) -> tuple[str, ...]:
        """The goldens of the pairs to run now; none when it is decided."""
        seen = self.evidence
        futile = seen.pairs >= FUTILE_PAIRS * min(2, len(self.goldens)) and seen.evidence <= 1
        if seen.confirmed or futile or seen.evidence < HOPELESS:
            return ()
        asked = list[str]()
        for _ in range(min(AT_ONCE, MOST_PAIRS - seen.pairs, seen.pairs_needed)):
            golden = min(self.goldens, key=lambda name: (self._lost[name], self._tried[name]))
            self._tried[golden] += 1
            asked.append(golden)
        return tuple(asked)

    def feed(self, goldens: Sequence[str], answers: Sequence[TrialScores]) -> bool:
        """Take pairs into account, in the order of `next_pairs`; whether the alarm is confirmed."""
        for golden, answer in zip(goldens, answers, strict=True):
            if self.confirmed:
                break
            x = pair_value(answer.candidate, answer.base)
            self._lost[golden] += x
            if answer.candidate is not None and answer.base is not None:
                self.compared.append((golden, answer.candidate, answer.base))
            self.evidence.feed(x)
        return self.confirmed


def pair_value(candidate: float | None, base: float | None) -> float:
    """x of a pair. A trial without an answer speaks against the alarm: the candidate passed, the base failed."""
    return (1.0 if candidate is None else candidate) - (0.0 if base is None else base)


def broken_goldens(
    sums: Mapping[str, float], clusters: Mapping[str, str] | None = None, most: int = MOST_GOLDENS
) -> tuple[str, ...]:
    """The goldens to try again: those with a negative sum of x, the most negative first, ties by id.

    At most one golden of each cluster is taken until every cluster has one, then a second one, and so on.
    """
    worst_first = sorted((total, golden) for golden, total in sums.items() if total < -1e-12)
    rank: dict[str, int] = {}
    places = []
    for place, (_, golden) in enumerate(worst_first):
        unit = f"cluster {clusters[golden]}" if clusters and golden in clusters else f"golden {golden}"
        rank[unit] = rank.get(unit, -1) + 1
        places.append((rank[unit], place, golden))
    return tuple(golden for _, _, golden in sorted(places)[:most])
