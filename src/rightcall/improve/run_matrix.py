"""More than two runs: goldens by runs, and a group of runs over time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rightcall.improve.changes import ChangeItem, run_changes
from rightcall.improve.run_setup import run_record
from rightcall.records.record import Record
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.store import Store

MOST_ROWS = 200


class MatrixRow(Record, frozen=True):
    """One golden: passed and scored trials in each run, (0, 0) where it was not run."""

    golden: str
    cells: tuple[tuple[int, int], ...]


class GoldenMatrix(Record, frozen=True):
    """Goldens on which the runs disagree, runs by time, and what changed between adjacent runs."""

    runs: tuple[str, ...]
    agents: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    goldens: int
    changes: tuple[tuple[ChangeItem, ...], ...]


class TrendPoint(Record, frozen=True):
    """One run of a group: its rate, the range by which a gate decided, and what changed since the previous run.

    `joined` is false where the goldens differ from those of the previous run: the two rates are not comparable.
    """

    run: str
    started_at: str
    agent: str
    rate: float
    range: str
    goldens: int
    changed: tuple[str, ...] = ()
    joined: bool = True


def golden_matrix(store: Store, runs: Sequence[str]) -> GoldenMatrix:
    """Compare several runs golden by golden; goldens on which all agree are only counted."""
    stored_runs = sorted(
        (store.runs.get(run) for run in runs), key=lambda stored: (stored.run.started_at, stored.id)
    )
    counts: dict[str, list[tuple[int, int]]] = {}
    for at, stored in enumerate(stored_runs):
        for count in store.runs.failures(stored.id).trial_counts():
            row = counts.setdefault(count.golden_id, [(0, 0)] * len(stored_runs))
            row[at] = count.passed, count.judged
    rows = [MatrixRow(golden, tuple(row)) for golden, row in sorted(counts.items()) if _differs(row)]
    records = [run_record(store, stored) for stored in stored_runs]
    changes = tuple(tuple(run_changes(*pair)) for pair in pairwise(records))
    return GoldenMatrix(
        tuple(stored.id for stored in stored_runs),
        tuple(stored.run.agent for stored in stored_runs),
        tuple(rows[:MOST_ROWS]),
        len(counts),
        changes=changes,
    )


def group_runs(store: Store, group: str, limit: int = 20) -> list[StoredRun]:
    """The newest runs of a group, oldest first. Perturbed runs are excluded."""
    listed = store.runs.page(RunFilter(group=group, state="finished"), limit=limit)
    return [stored for stored in reversed(list(listed)) if "perturb" not in stored.run.settings]


def run_trend(runs: Sequence[StoredRun]) -> list[TrendPoint]:
    """The rates of runs, oldest first."""
    return [_point(stored, before) for before, stored in pairwise([None, *runs]) if stored]


def _point(stored: StoredRun, before: StoredRun | None) -> TrendPoint:
    known = stored.run.summary.overall.rate if stored.run.summary else None
    changed = [
        what
        for what in ("model", "tools", "setup", "dataset", "metrics")
        if before is not None and _mark(stored, what) != _mark(before, what)
    ]
    return TrendPoint(
        stored.id,
        stored.run.started_at,
        stored.run.agent,
        known.value if known else 0.0,
        range=known.range if known else "",
        goldens=known.goldens if known else 0,
        changed=tuple(changed),
        joined="dataset" not in changed,
    )


def _mark(stored: StoredRun, what: str) -> str:
    return stored.run.agent if what == "model" else stored.run.fingerprints.get(what, "")


def _differs(row: Sequence[tuple[int, int]]) -> bool:
    verdicts = {2 * passed >= judged for passed, judged in row if judged}
    return len(verdicts) > 1 or any(not judged for _, judged in row)
