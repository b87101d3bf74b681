"""A candidate's trials compared with the baseline's, golden by golden.

x = candidate − baseline is in [−1, 1] for one golden. In the rest it is one trial minus the mean of all the
baseline's; among the affected goldens each round has its own share of the baseline's trials, so that rounds are
independent. Nothing here looks at results to choose, order or weigh goldens: old failures look better again by
themselves, and old passes worse.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from rightcall.model.record import Record

UNKNOWN_NOISE = 0.02
"""p(1−p) of a golden that was tried only once and has no history."""
PAIRS_WANTED = 40
LEAST_ROUNDS = 3

Scores = tuple[float, ...]


class Stratum(Record, frozen=True):
    """Goldens that are judged together: the baseline's trials of each unit, and the margin.

    A unit is a golden, or the goldens of a cluster, which are drawn and judged as one. `order` is the order in which
    units are run and judged, the same in every round. `goldens` is how many the claim is about; more than are in
    `order` when only a sample is run. With `whole_rounds` the claim is about exactly these goldens, and it is judged at
    the ends of rounds; otherwise units are a random sample, and it may be judged after each.
    """

    name: str
    margin: float
    order: tuple[tuple[str, ...], ...]
    before: dict[str, Scores]
    rounds: int = 1
    goldens: int = 0
    noise: float = UNKNOWN_NOISE
    whole_rounds: bool = False

    @property
    def share_size(self) -> float:
        """Baseline trials behind one x."""
        sizes = [len(self.before[golden]) for unit in self.order for golden in unit]
        return max(1.0, math.fsum(sizes) / len(sizes) / self.rounds) if sizes else 1.0

    @property
    def pairs(self) -> int:
        """How many x there are when every round is run."""
        return len(self.order) * self.rounds

    @property
    def calls(self) -> int:
        """Trials when every round is run."""
        return sum(map(len, self.order)) * self.rounds

    def share(self, golden: str, round_: int) -> Scores:
        """The trials of the baseline that a round is compared with; each is used in one round only."""
        return self.before[golden][round_ :: self.rounds]


def pair_difference(before: Sequence[float], after: float) -> float:
    """x of one trial."""
    return after - math.fsum(before) / len(before)


def rounds_for(goldens: int, least_trials: int, rounds: int | None = None) -> int:
    """How often the affected goldens are tried: enough for 40 pairs, never more often than the baseline was."""
    asked = rounds or max(LEAST_ROUNDS, math.ceil(PAIRS_WANTED / max(1, goldens)))
    return max(1, min(least_trials, asked))


def noise_of(trials: Iterable[Sequence[float]]) -> float:
    """Mean of the unbiased p(1−p) over goldens that were tried twice or more: c(m−c)/(m(m−1)).

    It treats passes and failures alike, so it does not choose by the results that are compared.
    """
    alike = Counter(tuple(scores) for scores in trials if len(scores) > 1)  # 0 and 1 leave few that differ
    if not alike:
        return UNKNOWN_NOISE
    return math.fsum(_spread(scores) * number for scores, number in alike.items()) / alike.total()


def _spread(scores: Sequence[float]) -> float:
    mean = math.fsum(scores) / len(scores)
    return math.fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
