"""The baseline of a run: another run in the store, or a baseline that was saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from rightcall.core.digest import json_digest
from rightcall.core.errors import ConfigError
from rightcall.decide.baseline import Baseline, require_alike, same_dataset
from rightcall.decide.golden_outcomes import Outcome
from rightcall.records.golden import AnyGolden, canonical_golden
from rightcall.records.run import Run
from rightcall.run.baseline_file import BaselinePool
from rightcall.run.baseline_pool import BRANCH, find_baseline
from rightcall.run.gate_evidence import outcomes_of_run
from rightcall.run.inputs import golden_hash
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

SHOWN = 3
Goldens = Callable[[], Iterable[AnyGolden]]


def baseline_for(
    store: Store,
    name: str,
    run: Run,
    goldens: Goldens,
    quarantine: frozenset[str] = frozenset(),
    *,
    anyway: bool = False,
) -> Baseline:
    """The baseline that `name` names: an id, `last~1`, a tag, a branch, a file that was saved, or `branch:NAME`.

    Runs must have the same metrics. Goldens edited since are excluded unless `anyway` is set.
    """
    if name.startswith(BRANCH) or Path(name).is_file():
        return _of_pool(find_baseline(store, name, run.name), goldens, quarantine, anyway=anyway)
    earlier = earlier_run(store, name, run)
    unlike = require_finished([earlier], anyway=anyway) + require_alike(earlier.run, run, anyway=anyway)
    edited = find_edited_goldens(store, earlier.run, run, goldens)
    notes = (*unlike, *notes_on_edits(edited, anyway=anyway))
    outcomes = outcomes_of_run(store, earlier.id, quarantine)
    return Baseline(outcomes, notes, frozenset() if anyway else edited)


def _of_pool(pool: BaselinePool, goldens: Goldens, quarantine: frozenset[str], *, anyway: bool) -> Baseline:
    """A saved or pooled baseline as a gate compares with it."""
    before = pool.goldens
    edited = frozenset(g.id for g in goldens() if g.id in before and before[g.id].golden != golden_hash(g))
    outcomes = [
        Outcome(line.id, line.scores, sum(marks.count("e") for marks in line.t))
        for line in pool.lines
        if line.id not in quarantine
    ]
    return Baseline(outcomes, notes_on_edits(edited, anyway=anyway), frozenset() if anyway else edited)


def require_finished(runs: Sequence[StoredRun], *, anyway: bool = False) -> tuple[str, ...]:
    """Which runs are unfinished or stopped early, in words; raises unless `anyway` is set.

    The goldens that finished first are not like those that are missing, and a run that stopped early did so when its
    results were extreme, so a comparison would mislead.
    """
    missing = [run for run in runs if not run.finished and run.results < run.planned]
    stopped = [run for run in runs if run.run.summary is not None and run.run.summary.stopped_early]
    problems = tuple(f"run {run.id} is unfinished: {_share_in_store(run)}" for run in missing)
    problems += tuple(
        f"run {run.id} stopped early, at a point that its results determined: {_share_in_store(run)}"
        for run in stopped
    )
    if problems and not anyway:
        what = (
            f"finish it with `rightcall run SUITE --resume {missing[0].id}`"
            if missing
            else "run it again without `stop` in its gate"
        )
        raise ConfigError(*problems, f"{what}, or pass --anyway")
    return problems


def _share_in_store(run: StoredRun) -> str:
    return f"{run.results:,} of {run.planned:,} results are stored"


def earlier_run(store: Store, name: str, run: Run) -> StoredRun:
    """The run that `name` names relative to `run`, which cannot be its own baseline.

    `last~1` is the run before it. A tag or a branch names its newest run before it.
    """
    newest = name in ("last", "last~0")
    earlier = store.runs.get(name, before=None if newest else run)
    if earlier.id == run.id or (newest and earlier.run.started_at <= run.started_at):
        raise ConfigError(f"run {run.id} cannot be its own baseline; use `last~1` for the run before it")
    return earlier


def find_edited_goldens(store: Store, earlier: Run, run: Run, goldens: Goldens) -> frozenset[str]:
    """Ids of goldens in both runs that differ in more than labels and groups."""
    if same_dataset(earlier, run):
        return frozenset()
    before = {golden.id: _content(golden) for golden in store.runs.goldens(earlier.id)}
    return frozenset(g.id for g in goldens() if g.id in before and before[g.id] != _content(g))


def notes_on_edits(edited: frozenset[str], *, anyway: bool = False) -> tuple[str, ...]:
    """A sentence with the number and names of the edited goldens."""
    if not edited:
        return ()
    names = sorted(edited)
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    number = f"{len(names):,} {'golden was' if len(names) == 1 else 'goldens were'} edited between the runs"
    what = "compared anyway" if anyway else "not compared"
    return (f"{number} and {what}: {', '.join(names[:SHOWN])}{more}",)


def _content(golden: AnyGolden) -> str:
    bare = msgspec.structs.replace(canonical_golden(golden), tags=(), cluster=None, metadata={})
    return json_digest(bare, enc_hook=repr)
