"""What agents did on goldens: in stored runs, or in files of trajectories. It shows what is right, and it votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rightcall.core.codec import describe_value
from rightcall.core.digest import hex_digest, json_digest
from rightcall.improve.run_setup import run_record
from rightcall.improve.votes import Voter, family_of
from rightcall.model.golden import AnyGolden, canonical_golden
from rightcall.model.run import CaseResult
from rightcall.model.trajectory import Trajectory
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


def named_runs(store: Store, names: Sequence[str]) -> list[StoredRun]:
    """These runs, each once, newest first in whatever order they are named."""
    runs = {run.id: run for run in map(store.runs.get, names)}
    return sorted(runs.values(), key=lambda run: (run.run.started_at, run.id), reverse=True)


def newest_runs(store: Store, name: str, *, every: bool = False) -> list[StoredRun]:
    """The newest finished run of each agent of a suite, or `every` one, without those that try or disturb something."""
    runs: dict[str, StoredRun] = {}
    for run in store.runs.page(RunFilter(name=name), limit=LOOKED_BACK):
        if run.finished and is_undisturbed(run):
            runs.setdefault(run.id if every else run.run.agent, run)
    return list(runs.values())[: LOOKED_BACK if every else MOST_RUNS]


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
