"""Results of stored runs, grouped as their goldens say."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.gate import Outcome
from rightcall.model.run import CaseResult
from rightcall.model.trajectory import Trajectory
from rightcall.store import Store
from rightcall.suite.outcome import gathered


def stored_results(store: Store, run: str, *, trajectories: bool = False) -> Iterator[CaseResult]:
    """Every result of a run by golden id and trial, each with its golden's cluster and tags."""
    known = {
        golden.id: (golden.cluster, golden.tags)
        for golden in store.goldens(run)
        if golden.cluster or golden.tags
    }
    for result in store.results(run, trajectories=trajectories):
        if result.golden_id in known:
            cluster, tags = known[result.golden_id]
            yield msgspec.structs.replace(result, cluster=cluster, tags=tags)
        else:
            yield result


def stored_outcomes(
    store: Store, run: str, leave_out: frozenset[str] = frozenset(), *, lags: bool = False
) -> list[Outcome]:
    """The outcomes of a stored run for a gate or comparison, without quarantined goldens.

    With `lags` they know what the machine may have added to their times, which is kept with trajectories alone.
    """
    found = (_timed(result) for result in stored_results(store, run, trajectories=lags))
    return gathered(result for result in found if result.golden_id not in leave_out)


def _timed(result: CaseResult) -> CaseResult:
    """Without what a decision does not need: thousands of them are held at once."""
    if result.trajectory is None:
        return result
    return msgspec.structs.replace(result, trajectory=Trajectory(lag_ms=result.trajectory.lag_ms))
