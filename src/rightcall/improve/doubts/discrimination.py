"""Agents that are good at everything else fail a golden more often than others: further evidence, no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rightcall.improve.suspect import Reason
from rightcall.improve.votes import Ballot, Voter

FEWEST = 20
HIGHEST = -0.1


class PassMatrix:
    """How often each agent passed each golden."""

    def __init__(self) -> None:
        self._shares: dict[str, dict[Voter, float]] = {}

    def add(self, golden_id: str, ballot: Ballot) -> None:
        if len(ballot) >= FEWEST:
            self._shares[golden_id] = {
                voter: sum(attempt.passed for attempt in trials) / len(trials)
                for voter, trials in sorted(ballot.items())
                if trials
            }

    def reasons(self, golden_ids: frozenset[str]) -> Iterator[tuple[str, Reason]]:
        """The goldens of these that better agents fail more often."""
        totals: dict[Voter, float] = {}
        for _, shares in sorted(self._shares.items()):
            for voter, share in shares.items():
                totals[voter] = totals.get(voter, 0.0) + share
        for golden_id in sorted(golden_ids & self._shares.keys()):
            shares = self._shares[golden_id]
            if len(shares) < FEWEST:
                continue
            correlation = _correlation(shares, {voter: totals[voter] - shares[voter] for voter in shares})
            if correlation < HIGHEST:
                sentence = (
                    f"agents that do better elsewhere fail it more often (correlation {correlation:.2f})"
                )
                yield golden_id, Reason("look", sentence)


def _correlation(first: Mapping[Voter, float], second: Mapping[Voter, float]) -> float:
    """Pearson's; 0 where one of them does not vary."""
    n = len(first)
    mean_first, mean_second = sum(first.values()) / n, sum(second.values()) / n
    covariance = sum((first[voter] - mean_first) * (second[voter] - mean_second) for voter in first)
    spread = sum((value - mean_first) ** 2 for value in first.values()) * sum(
        (value - mean_second) ** 2 for value in second.values()
    )
    return covariance / spread**0.5 if spread > 1e-12 else 0.0
