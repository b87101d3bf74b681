"""Stored behaviour that passed: what agents did in earlier runs on the same goldens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rightcall.core.codec import describe_value
from rightcall.core.digest import json_digest
from rightcall.model.golden import AnyGolden, canonical_golden
from rightcall.run.rehearsal.known_good import KnownBehaviour
from rightcall.store.base import ResultFilter, RunFilter, StoredRun
from rightcall.store.sql.store import Store

LOOKED_BACK = 50
MOST_RUNS = 20


class PastRuns:
    """Runs of a store. A golden that has changed since a run is not known to it: goldens are compared by content."""

    def __init__(self, store: Store, runs: Sequence[StoredRun]) -> None:
        self._store, self._runs = store, runs

    def __call__(self, golden: AnyGolden) -> list[KnownBehaviour]:
        """What each agent did that passed this golden, newest run first."""
        content = _content(golden)
        behaviours: list[KnownBehaviour] = []
        for run in self._runs:
            stored = next(self._store.runs.goldens(run.id, [golden.id]), None)
            if stored is None or _content(stored) != content:
                continue
            which = ResultFilter(golden_id=golden.id)
            behaviours += [
                KnownBehaviour(run.run.agent, result.trajectory)
                for result in self._store.runs.results(run.id, which, trajectories=True)
                if result.passed and result.trajectory is not None
            ]
        return behaviours


def named_runs(store: Store, names: Sequence[str]) -> list[StoredRun]:
    """These runs, each once, newest first in whatever order they are named."""
    runs = {run.id: run for run in map(store.runs.get, names)}
    return sorted(runs.values(), key=lambda run: (run.run.started_at, run.id), reverse=True)


def newest_runs(store: Store, name: str) -> list[StoredRun]:
    """The newest finished run of each agent of a suite, without perturbed ones and those with faults."""
    by_agent: dict[str, StoredRun] = {}
    for run in store.runs.page(RunFilter(name=name), limit=LOOKED_BACK):
        plain = "perturb" not in run.run.settings and "faults" not in run.run.fingerprints
        if run.finished and plain:
            by_agent.setdefault(run.run.agent, run)
    return list(by_agent.values())[:MOST_RUNS]


def no_past(golden: AnyGolden) -> list[KnownBehaviour]:
    """Nothing is stored."""
    return []


def _content(golden: AnyGolden) -> str:
    return json_digest(canonical_golden(golden), 32, enc_hook=describe_value)


Known = Callable[[AnyGolden], Sequence[KnownBehaviour]]
"""Stored behaviour of a golden that passed."""
