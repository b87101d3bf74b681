"""What is known of goldens from runs and files together: right behaviour, the votes of agents, and doubts by both."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from rightcall.core.errors import InputError
from rightcall.datasets.trajectories import load_trajectories
from rightcall.improve.doubt import Doubt
from rightcall.improve.doubt_decisions import marks_of_kept
from rightcall.improve.golden_doubts import Doubter
from rightcall.improve.past_runs import PastCase, PastRuns, named_runs, newest_runs
from rightcall.improve.run_setup import run_record
from rightcall.improve.votes import Attempt, Ballot, Ballots, Voter, family_of, voters_of
from rightcall.metrics.score_case import Scorer
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.known_good import KnownBehaviour
from rightcall.run.rehearsal.trial import Trial
from rightcall.store.address import open_store, store_address
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store


def agent_of_file(spec: str, families: Mapping[str, str] | None = None) -> tuple[Voter, Path]:
    """The agent and the file that an option names; a file alone is an agent of its name."""
    agent, equals, file = spec.partition("=")
    if not equals or Path(spec).exists():
        agent, file = "", spec
    family, slash, name = agent.partition("/")
    name = (name if slash else agent) or Path(file).stem
    return Voter(name, (family if slash else "") or family_of(name, families)), Path(file)


class PastFiles:
    """Recorded trajectories of several agents, scored by the suite's own criteria."""

    def __init__(self, specs: Sequence[str], families: Mapping[str, str] | None = None) -> None:
        self._recorded: defaultdict[str, list[tuple[Voter, Trajectory]]] = defaultdict(list)
        self._cases: dict[str, list[PastCase]] = {}
        for spec in specs:
            voter, file = agent_of_file(spec, families)
            for recorded in load_trajectories(file):
                self._recorded[recorded.golden_id].append((voter, recorded.trajectory))

    async def score(self, goldens: Iterable[AnyGolden], trial: Trial) -> None:
        """Judge every trajectory of these goldens; those of others, and those that cannot be judged, say nothing."""
        for golden in goldens:
            for voter, trajectory in self._recorded.pop(golden.id, ()):
                if trajectory.error or any(call.arguments_unknown for call in trajectory.calls):
                    continue
                judgement, _ = await trial.judge_computed(golden, trajectory)
                if judgement != "not_judged":
                    case = PastCase(voter, judgement == "passed", trajectory)
                    self._cases.setdefault(golden.id, []).append(case)

    def __call__(self, golden: AnyGolden) -> list[PastCase]:
        return self._cases.get(golden.id, [])

    def counts(self) -> Iterator[tuple[Voter, int, int]]:
        """Each trajectory as its agent, whether it passed, and that it was judged."""
        return ((case.voter, int(case.passed), 1) for cases in self._cases.values() for case in cases)


class Electorate(Record, frozen=True):
    """Who votes, and who is `below_half` of the suite. Goldens `changed` since a run; doubts that were `kept` out."""

    voting: tuple[str, ...] = ()
    below_half: tuple[str, ...] = ()
    changed: int = 0
    kept: int = 0


@dataclass
class PastEvidence:
    """Runs of a store and files of trajectories. `settled` are the marks of doubts that were decided."""

    runs: PastRuns | None = None
    files: PastFiles = field(default_factory=lambda: PastFiles(()))
    settled: frozenset[str] = frozenset()

    def cases(self, golden: AnyGolden) -> list[PastCase]:
        """What agents did on a golden."""
        return [*(self.runs(golden) if self.runs else ()), *self.files(golden)]

    def known(self, golden: AnyGolden) -> list[KnownBehaviour]:
        """What passed, with the agent that did it."""
        return [
            KnownBehaviour(f"{case.voter.name} {case.voter.prompt}".strip(), case.trajectory)
            for case in self.cases(golden)
            if case.passed
        ]

    def ballots(self) -> Ballots:
        """The votes of the agents that pass at least half."""
        voters = voters_of(self._rates())

        def ballot(golden: AnyGolden) -> Ballot:
            attempts: defaultdict[Voter, list[Attempt]] = defaultdict(list)
            for case in self.cases(golden):
                if case.voter in voters:
                    trajectory = case.trajectory
                    attempts[case.voter].append(Attempt(case.passed, trajectory.calls, trajectory.state))
            return attempts

        return ballot

    def electorate(self, kept: int = 0) -> Electorate:
        """Who votes and who does not."""
        rates = self._rates()
        voters = voters_of(rates)
        names = {voter: "/".join(filter(None, (voter.of_family, voter.name))) for voter in rates}
        return Electorate(
            tuple(sorted(names[voter] for voter in voters)),
            tuple(sorted(names[voter] for voter in rates if voter not in voters)),
            len(self.runs.changed) if self.runs else 0,
            kept,
        )

    def _rates(self) -> dict[Voter, tuple[int, int]]:
        """Passed and judged trials of each agent."""
        rates: dict[Voter, tuple[int, int]] = {}
        for voter, passed, judged in (*(self.runs.counts() if self.runs else ()), *self.files.counts()):
            before = rates.get(voter, (0, 0))
            rates[voter] = before[0] + passed, before[1] + judged
        return rates


@contextmanager
def past_evidence(
    name: str,
    *,
    runs: Sequence[str] = (),
    every: bool = False,
    trajectories: Sequence[str] = (),
    families: Mapping[str, str] | None = None,
    store: str | PathLike[str] | None = None,
) -> Iterator[PastEvidence]:
    """Of these runs, or of the newest or `every` run of the suite `name`; without a store, of files alone."""
    files = PastFiles(trajectories, families)
    file = store_address(store).file
    if not runs and file is not None and not file.exists():
        yield PastEvidence(None, files)
        return
    with open_store(store, must_exist=bool(runs)) as opened:
        chosen = named_runs(opened, runs)
        if not runs and name:
            chosen = newest_runs(opened, name, every=every)
        yield PastEvidence(PastRuns(opened, chosen, families), files, marks_of_kept(opened))


MOST_EXAMINED = 5_000
"""Goldens of a suite that a page examines."""


class SuiteDoubts(NamedTuple):
    """Doubts by golden, the most certain first, and the doubted goldens. Decisions are not applied here."""

    suite: str
    run: str
    examined: int
    doubts: Mapping[str, Sequence[Doubt]]
    goldens: Mapping[str, AnyGolden]
    electorate: Electorate
    is_cut: bool = False


def electoral_runs(store: Store, suite: str) -> list[StoredRun]:
    """The newest run of each agent of a suite, newest first; an `InputError` without any."""
    runs = newest_runs(store, suite)
    if not runs:
        raise InputError(f"suite {suite[:100]}", "has no finished run in the store", "run it once")
    return sorted(runs, key=lambda run: (run.run.started_at, run.id), reverse=True)


def suite_doubts(store: Store, suite: str) -> SuiteDoubts:
    """Examine the goldens of the newest run. Worlds and mocks are not in the store: what needs them is not tried."""
    runs = electoral_runs(store, suite)
    record = run_record(store, runs[0])
    past = PastEvidence(PastRuns(store, runs))
    trial = Trial(Scorer(), {tool.name: tool for tool in record.tools})
    doubter = Doubter(trial, past.ballots(), system=record.system)

    async def examine() -> None:
        for golden in islice(store.runs.goldens(runs[0].id), MOST_EXAMINED):
            await doubter.examine("", golden)

    asyncio.run(examine())
    by_golden: dict[str, list[Doubt]] = {}
    for doubt in doubter.doubts():
        by_golden.setdefault(doubt.golden_id, []).append(doubt)
    goldens = {golden.id: golden for golden in store.runs.goldens(runs[0].id, list(by_golden))}
    is_cut = doubter.examined >= MOST_EXAMINED
    return SuiteDoubts(suite, runs[0].id, doubter.examined, by_golden, goldens, past.electorate(), is_cut)
