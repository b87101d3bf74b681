"""The confirmation of an alarm: fresh trials of the base and of the candidate, in pairs, on the goldens that broke.

    x = candidate − base        V = Π (1 − .8 x)        confirmed once V ≥ 1/level

If nothing changed, the two trials of a pair are exchangeable, so E[x | all before] = 0, V is a martingale and
P(V ever ≥ 1/level) ≤ level (Ville), whatever the alarm saw. The alarm may choose the goldens because none of its trials
is compared again.

Pure: fed with x in the order of the pairs, it never sees a clock, a store or a process.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice

from rightcall.stats.sequential import e_value

BET = 0.8
MOST_GOLDENS = 12
MOST_PAIRS = 40


class PairedEvidence:
    """V of the pairs so far, and whether it is enough. Pairs after that change nothing."""

    def __init__(self, level: float) -> None:
        self._enough = -math.log(level)
        self._log = 0.0
        self.confirmed = False
        self.pairs = 0

    @property
    def evidence(self) -> float:
        """V, to 1."""
        return e_value(self._log)

    def feed(self, x: float) -> bool:
        """Take a pair into account; whether the alarm is confirmed."""
        if not self.confirmed:
            self.pairs += 1
            self._log += math.log1p(-BET * x)
            self.confirmed = self._log >= self._enough - 1e-12
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


def pairs_of(goldens: Sequence[str], most: int = MOST_PAIRS) -> Iterator[str]:
    """The golden of each pair: one after the other, then from the first again."""
    return islice(cycle(goldens), most)
