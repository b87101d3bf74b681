"""What agents did on a golden, counted as votes: one for each agent, shared by its trials.

An agent is a model with its prompt. Behaviour that passes speaks for the golden. Behaviour that fails speaks against it
when many agents agree: the same calls, or in a world the same final state. Nobody agrees by doing nothing, nor with
calls that a tool would refuse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from rightcall.core.codec import describe_value
from rightcall.core.digest import hex_digest, json_digest
from rightcall.improve.counters import GoldenTrials
from rightcall.providers.provider_kinds import family_of
from rightcall.records.call import ToolCall
from rightcall.records.golden import AnyGolden
from rightcall.run.rehearsal.toolset import Toolset, call_key

LEAST_RATE = 0.5
"""Agents that pass less than this share of a suite do not vote."""


class Voter(NamedTuple):
    """Who votes: `name` as users know it, `family` the maker of its model."""

    name: str
    family: str = ""
    prompt: str = ""

    @property
    def of_family(self) -> str:
        return self.family or family_of(self.name)


class Attempt(NamedTuple):
    """One judged trial of a golden. `state` is that of its world at the end; None without a world.

    A trial that is only counted has the `key` of its behaviour instead of both.
    """

    passed: bool
    calls: Sequence[ToolCall] = ()
    state: Mapping[str, Any] | None = None
    key: str = ""


Ballot = Mapping[Voter, Sequence[Attempt]]
"""What each agent did on one golden; trials that say nothing about the agent are not in it."""

Ballots = Callable[[AnyGolden], Ballot]


def no_ballot(golden: AnyGolden) -> Ballot:
    """Nobody has tried the golden."""
    return {}


class Alternative(NamedTuple):
    """The same wrong behaviour of some agents. `share` is of all votes; `calls` are those of the shortest trial."""

    share: float
    agents: tuple[str, ...]
    families: tuple[str, ...]
    calls: tuple[ToolCall, ...]
    in_world: bool = False
    key: str = ""


class Votes(NamedTuple):
    """The votes on one golden: `n` agents, the share `passing`, and what the others do, most frequent first."""

    n: int = 0
    passing: float = 0.0
    alternatives: tuple[Alternative, ...] = ()
    in_world: bool = False

    @property
    def first(self) -> Alternative | None:
        """The most frequent alternative, before that the one that most families share."""
        return self.alternatives[0] if self.alternatives else None

    @property
    def agreement(self) -> Alternative | None:
        """The most frequent alternative of at least two families; with one agent, its own."""
        if self.n == 1:
            return self.first
        return next((other for other in self.alternatives if len(other.families) > 1), None)


def count_votes(ballot: Ballot, toolset: Toolset) -> Votes:
    """Count the votes of a golden; the order of agents and trials does not matter."""
    votes = {agent: trials for agent, trials in ballot.items() if trials}
    n = len(votes)
    if not n:
        return Votes()
    weights: defaultdict[str, float] = defaultdict(float)
    voters: defaultdict[str, set[Voter]] = defaultdict(set)
    shown: dict[str, tuple[ToolCall, ...]] = {}
    passing = 0.0
    in_world = False
    for agent, trials in sorted(votes.items()):
        for attempt in trials:
            in_world = in_world or attempt.state is not None
            if attempt.passed:
                passing += 1 / len(trials)
            elif key := behaviour_key(attempt, toolset):
                weights[key] += 1 / len(trials)
                voters[key].add(agent)
                shown[key] = min(
                    filter(None, (shown.get(key), tuple(attempt.calls))), key=_length, default=()
                )
    alternatives = [
        Alternative(
            round(weight / n, 6),
            tuple(sorted({agent.name for agent in voters[key]})),
            tuple(sorted({agent.of_family for agent in voters[key]})),
            shown[key],
            in_world=in_world,
            key=key,
        )
        for key, weight in sorted(weights.items(), key=lambda item: (-round(item[1], 6), item[0]))
    ]
    return Votes(n, round(passing / n, 6), tuple(alternatives), in_world)


def behaviour_key(attempt: Attempt, toolset: Toolset) -> str:
    """What equal behaviour shares: the final state of a world, otherwise the calls as a multiset.

    Empty for what agents cannot agree on: nobody agrees by giving up, nor with calls that a tool would refuse.
    """
    if attempt.key or not attempt.calls:
        return attempt.key
    if any(
        call.arguments_unknown or not toolset.accepts(call.name, call.arguments) for call in attempt.calls
    ):
        return ""
    if attempt.state is not None:
        return json_digest(attempt.state, 32, enc_hook=describe_value)
    keys = sorted(repr(call_key(toolset, call, defaults_in_words=True)) for call in attempt.calls)
    return hex_digest("\n".join(keys), 32)


def voters_of(rates: Mapping[Voter, tuple[int, int]]) -> frozenset[Voter]:
    """The agents that pass at least half of what they were judged on: (passed, judged) for each."""
    return frozenset(
        agent for agent, (passed, judged) in rates.items() if judged and passed >= LEAST_RATE * judged
    )


def _length(calls: Sequence[ToolCall]) -> tuple[int, str]:
    return len(calls), repr([(call.name, sorted((call.arguments or {}).items(), key=repr)) for call in calls])


class ObservedBehaviour(NamedTuple):
    """What `agents` do instead of what a golden expects; or the `sentence` of a doubt that needs no behaviour."""

    wanted: str
    called: str
    values: tuple[tuple[str, str, str], ...] = ()
    sentence: str = ""
    agents: int = 1


class RunVotes(NamedTuple):
    """What the agent of a run did on each golden."""

    voter: Voter
    attempts: Mapping[str, Sequence[Attempt]]

    @property
    def passes_half(self) -> bool:
        trials = list(chain.from_iterable(self.attempts.values()))
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
