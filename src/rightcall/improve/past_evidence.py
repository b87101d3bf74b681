"""What agents did on goldens, in stored runs and in files of trajectories: it shows what is right, and it votes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from rightcall.core.codec import describe_value
from rightcall.core.digest import hex_digest, json_digest
from rightcall.datasets.trajectories import load_trajectories
from rightcall.improve.run_setup import run_record
from rightcall.improve.votes import Attempt, Ballot, Ballots, Voter, voters_of
from rightcall.providers.provider_kinds import family_of
from rightcall.records.golden import AnyGolden, canonical_golden
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.trajectory import Trajectory
from rightcall.run.rehearsal.known_good import KnownBehaviour
from rightcall.run.rehearsal.trial import Trial
from rightcall.store.address import open_store, store_address
from rightcall.store.base import ResultFilter, RunFilter, StoredRun
from rightcall.store.sql.store import Store

LOOKED_BACK = 50
TRIVIAL = "keyword:"
MOST_RUNS = 20
EXPERIMENTS = ("/improve", "/check")
"""Endings of the groups of runs that try changes, which may be broken."""


class PastCase(NamedTuple):
    """One judged trial of a golden by an agent, with its arguments known: others say nothing."""

    voter: Voter
    passed: bool
    trajectory: Trajectory


class PastRuns:
    """Runs of a store. A golden that has changed since a run is not known to it: goldens are compared by content."""

    def __init__(
        self, store: Store, runs: Sequence[StoredRun], families: Mapping[str, str] | None = None
    ) -> None:
        self._store = store
        self._runs = [(run, voter_of(store, run, families or {})) for run in runs]
        self._last: tuple[str, list[PastCase]] = ("", [])
        self.changed: set[str] = set()

    def __call__(self, golden: AnyGolden) -> list[PastCase]:
        """What each agent did on this golden, newest run first."""
        content = content_of(golden)
        if self._last[0] == content:
            return self._last[1]
        cases: list[PastCase] = []
        for run, voter in self._runs:
            stored = next(self._store.runs.goldens(run.id, [golden.id]), None)
            if stored is None:
                continue
            if content_of(stored) != content:
                self.changed.add(golden.id)
                continue
            which = ResultFilter(golden_id=golden.id)
            for result in self._store.runs.results(run.id, which, trajectories=True):
                cases += cases_of_result(voter, result)
        self._last = content, cases
        return cases

    def counts(self) -> Iterator[tuple[Voter, int, int]]:
        """The agent of each run, with its passed and judged trials, over the whole run."""
        return ((voter, run.passed, run.judged) for run, voter in self._runs)


def voter_of(store: Store, run: StoredRun, families: Mapping[str, str]) -> Voter:
    """The agent of a run: its model with its prompt."""
    setup = run_record(store, run).setup
    name = setup.model or run.run.agent
    family = families.get(run.run.agent) or family_of(name, families)
    return Voter(name, family, hex_digest(setup.system, 8) if setup.system else "")


def runs_by_name(store: Store, names: Sequence[str]) -> list[StoredRun]:
    """These runs, each once, newest first in whatever order they are named."""
    runs = {run.id: run for run in map(store.runs.get, names)}
    return sorted(runs.values(), key=lambda run: (run.run.started_at, run.id), reverse=True)


def newest_runs(store: Store, name: str) -> list[StoredRun]:
    """The newest finished run of each agent of a suite, without those that try or disturb something."""
    runs: dict[str, StoredRun] = {}
    for run in store.runs.page(RunFilter(name=name), limit=LOOKED_BACK):
        if run.finished and is_undisturbed(run):
            runs.setdefault(run.run.agent, run)
    return list(runs.values())[:MOST_RUNS]


def is_undisturbed(run: StoredRun) -> bool:
    """Whether a run shows what its agent does: without faults, perturbations, or a change that is being tried.

    `keyword:` understands nothing: what it does and passes is no evidence of what is right.
    """
    return (
        not run.run.agent.startswith(TRIVIAL)
        and "perturb" not in run.run.settings
        and "faults" not in run.run.fingerprints
        and not run.run.group.endswith(EXPERIMENTS)
    )


def content_of(golden: AnyGolden) -> str:
    """The same for goldens that are equal."""
    return json_digest(canonical_golden(golden), 32, enc_hook=describe_value)


def cases_of_result(voter: Voter, result: CaseResult) -> list[PastCase]:
    """The trial, if it says anything: infrastructure errors and calls without arguments do not vote."""
    trajectory = result.trajectory
    if not result.judged or trajectory is None or any(c.arguments_unknown for c in trajectory.calls):
        return []
    return [PastCase(voter, result.passed, trajectory)]


def agent_of_file(spec: str, families: Mapping[str, str] | None = None) -> tuple[Voter, Path]:
    """The agent and the file that an option names; a file alone is an agent of its name."""
    agent, equals, file = spec.partition("=")
    if not equals or Path(spec).exists():
        agent = ""
        file = spec
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
        return ((case.voter, int(case.passed), 1) for case in chain.from_iterable(self._cases.values()))


class Electorate(Record, frozen=True):
    """Who votes, and who is `below_half` of the suite. Goldens `changed` since a run say nothing."""

    voting: tuple[str, ...] = ()
    below_half: tuple[str, ...] = ()
    changed: int = 0


@dataclass
class PastEvidence:
    """Runs of a store and files of trajectories."""

    runs: PastRuns | None = None
    files: PastFiles = field(default_factory=lambda: PastFiles(()))

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

    def electorate(self) -> Electorate:
        """Who votes and who does not."""
        rates = self._rates()
        voters = voters_of(rates)
        names = {voter: "/".join(filter(None, (voter.of_family, voter.name))) for voter in rates}
        return Electorate(
            tuple(sorted(names[voter] for voter in voters)),
            tuple(sorted(names[voter] for voter in rates if voter not in voters)),
            len(self.runs.changed) if self.runs else 0,
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
    trajectories: Sequence[str] = (),
    families: Mapping[str, str] | None = None,
    store: str | PathLike[str] | None = None,
) -> Iterator[PastEvidence]:
    """Of these runs, or of the newest run of each agent of the suite `name`; without a store, of files alone."""
    files = PastFiles(trajectories, families)
    file = store_address(store).file
    if not runs and file is not None and not file.exists():
        yield PastEvidence(None, files)
        return
    with open_store(store, must_exist=bool(runs)) as opened:
        chosen = runs_by_name(opened, runs)
        if not runs and name:
            chosen = newest_runs(opened, name)
        yield PastEvidence(PastRuns(opened, chosen, families), files)
