"""The baseline of a run: another run in the store, or a file of exported results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from rightcall.core.codec import decode
from rightcall.core.digest import json_digest
from rightcall.core.errors import ConfigError
from rightcall.decide.baseline import Baseline, require_alike, same_dataset
from rightcall.decide.outcome import Outcome
from rightcall.files.checked_read import numbered_lines, open_checked
from rightcall.model.golden import AnyGolden, canonical_golden
from rightcall.model.run import CaseResult, Run
from rightcall.run.baseline_file import BaselinePool, is_baseline
from rightcall.run.baseline_pool import BRANCH, find_baseline
from rightcall.run.inputs import golden_hash
from rightcall.run.outcome import gathered, stored_outcomes
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

SHOWN = 3
Goldens = Callable[[], Iterable[AnyGolden]]


def baseline_for(
    store: Store,
    wanted: str,
    run: Run,
    goldens: Goldens,
    quarantine: frozenset[str] = frozenset(),
    *,
    anyway: bool = False,
) -> Baseline:
    """The baseline that `wanted` names: an id, `last~1`, a tag, a branch, a file that `rightcall runs export` wrote,
    or a baseline: its file, or `branch:NAME`.

    Runs must have the same metrics. Goldens edited since are excluded unless `anyway` is set.
    """
    if wanted.startswith(BRANCH) or (Path(wanted).is_file() and is_baseline(Path(wanted))):
        return _of_pool(find_baseline(store, wanted, run.name), goldens, quarantine, anyway=anyway)
    if Path(wanted).is_file():
        outcomes = [o for o in gathered(exported_results(Path(wanted))) if o.golden_id not in quarantine]
        return Baseline(outcomes, (f"{wanted} has no fingerprints; goldens are compared by id alone",))
    earlier = earlier_run(store, wanted, run)
    unlike = require_finished([earlier], anyway=anyway) + require_alike(earlier.run, run, anyway=anyway)
    edited = edited_goldens(store, earlier.run, run, goldens)
    notes = (*unlike, *edited_notes(edited, anyway=anyway))
    outcomes = stored_outcomes(store, earlier.id, quarantine)
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
    return Baseline(outcomes, edited_notes(edited, anyway=anyway), frozenset() if anyway else edited)


def require_finished(runs: Sequence[StoredRun], *, anyway: bool = False) -> tuple[str, ...]:
    """Which runs are unfinished or stopped early, in words; raises unless `anyway` is set.

    The goldens that finished first are not like those that are missing, and a run that stopped early did so when its
    results were extreme, so a comparison would mislead.
    """
    missing = [run for run in runs if not run.finished and run.results < run.planned]
    stopped = [run for run in runs if run.run.summary is not None and run.run.summary.stopped_early]
    said = tuple(f"run {run.id} is unfinished: {_stored(run)}" for run in missing)
    said += tuple(
        f"run {run.id} stopped early, at a moment that its results chose: {_stored(run)}" for run in stopped
    )
    if said and not anyway:
        what = (
            f"finish it with `rightcall run SUITE --resume {missing[0].id}`"
            if missing
            else "run it again without `stop` in its gate"
        )
        raise ConfigError(*said, f"{what}, or pass --anyway")
    return said


def _stored(run: StoredRun) -> str:
    return f"{run.results:,} of {run.planned:,} results are stored"


def earlier_run(store: Store, wanted: str, run: Run) -> StoredRun:
    """The run that `wanted` names relative to `run`, which cannot be its own baseline.

    `last~1` is the run before it. A tag or a branch names its newest run before it.
    """
    newest = wanted in ("last", "last~0")
    found = store.runs.get(wanted, before=None if newest else run)
    if found.id == run.id or (newest and found.run.started_at <= run.started_at):
        raise ConfigError(f"run {run.id} cannot be its own baseline; use `last~1` for the run before it")
    return found


def exported_results(path: Path) -> Iterator[CaseResult]:
    """Results as `rightcall runs export` writes them, one per line."""
    with open_checked(path) as file:
        for number, line in numbered_lines(file, str(path)):
            if not line.isspace():
                yield decode(line, CaseResult, f"{path}:{number}")


def edited_goldens(store: Store, earlier: Run, run: Run, goldens: Goldens) -> frozenset[str]:
    """Ids of goldens in both runs that differ in more than labels and groups."""
    if same_dataset(earlier, run):
        return frozenset()
    before = {golden.id: _content(golden) for golden in store.runs.goldens(earlier.id)}
    return frozenset(g.id for g in goldens() if g.id in before and before[g.id] != _content(g))


def edited_notes(edited: frozenset[str], *, anyway: bool = False) -> tuple[str, ...]:
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
