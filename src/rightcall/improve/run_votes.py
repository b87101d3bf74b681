"""What the agents of runs did on each golden, and what one of them does instead of what a golden expects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rightcall.improve.counters import GoldenTrials
from rightcall.improve.votes import Attempt, Voter, behaviour_key, voters_of
from rightcall.run.rehearsal.toolset import Toolset


class ObservedBehaviour(NamedTuple):
    """What an agent does instead of what a golden expects; or the `sentence` of a doubt that needs no behaviour."""

    wanted: str
    called: str
    values: tuple[tuple[str, str, str], ...] = ()
    sentence: str = ""


class RunVotes(NamedTuple):
    """What the agent of a run did on each golden."""

    voter: Voter
    attempts: Mapping[str, Sequence[Attempt]]

    @property
    def passes_half(self) -> bool:
        trials = [attempt for attempts in self.attempts.values() for attempt in attempts]
        return self.voter in voters_of({self.voter: (sum(t.passed for t in trials), len(trials))})


def run_votes(voter: Voter, trials: Iterable[GoldenTrials], toolset: Toolset) -> RunVotes:
    """The votes of a run. Keys are kept, never calls, so that memory grows with the number of goldens only."""
    attempts: dict[str, list[Attempt]] = {}
    for of_golden in trials:
        attempts[of_golden.golden.id] = [
            attempt if attempt.passed else Attempt(False, key=behaviour_key(attempt, toolset))
            for attempt in attempts_of(of_golden)
        ]
    return RunVotes(voter, attempts)


def attempts_of(trials: GoldenTrials) -> list[Attempt]:
    """Every judged trial of a golden."""
    failed = [Attempt(False, trial.calls, trial.state) for trial in trials.failed]
    return [Attempt(True)] * trials.passed + failed
