"""What earlier runs say about a suite: whether it is saturated, and which of its goldens never passed.

Read from the rows of runs alone, which have every count; goldens are looked up only for a regression suite that fails.
"""

from __future__ import annotations

import msgspec

from rightcall.decide.saturation import (
    LEAST_RUNS,
    NeverPassed,
    PastRun,
    SuiteHistory,
    evidence_of_failure,
    saturation,
)
from rightcall.model.run import SuiteKind
from rightcall.run.outcome import label_sentences
from rightcall.run.plan import Selection, selection_fingerprint
from rightcall.run.run_judges import JUDGES
from rightcall.run.run_record import CHECKED, REPLAYED
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.store import Store

LOOKED_BACK = 50
SAME = ("dataset", "metrics", "tool_sets", "simulator", "faults")
"""Fingerprints in which runs of the same goldens agree, judged and disturbed in the same way."""
OTHER_TASKS = frozenset(("perturb", "improve"))
"""Settings of runs that changed the agent or the goldens on purpose."""


def suite_history(store: Store, stored: StoredRun, *, least: int = LEAST_RUNS) -> SuiteHistory:
    """What a run and the runs of its suite before it say about the suite."""
    kind = stored.run.suite_kind
    judged = label_sentences(store, stored) if JUDGES in stored.run.fingerprints else ()
    if not _counts(stored):  # a run that is no evidence claims nothing, and needs no look at others
        return SuiteHistory(kind, judged=judged)
    before = store.runs.page(RunFilter(name=stored.run.name), limit=LOOKED_BACK, after=stored.id)
    past = [_past_run(run) for run in (stored, *before) if _same_task(stored, run)]
    failing = kind == "regression" and past[0].failed
    never_passed = _never_passed(store, past, least) if failing else None
    return SuiteHistory(kind, saturation(past, least), never_passed, judged)


def latest_history(store: Store, suite: str, kind: SuiteKind | None, dataset: str) -> SuiteHistory:
    """What the runs of a suite say now, for a command that makes no full run itself. `dataset` is its fingerprint."""
    for run in store.runs.page(RunFilter(name=suite, state="finished"), limit=LOOKED_BACK):
        if run.run.fingerprints.get("dataset") == dataset and _counts(run):
            return msgspec.structs.replace(suite_history(store, run), kind=kind)
    return SuiteHistory(kind)


def _never_passed(store: Store, past: list[PastRun], least: int) -> NeverPassed | None:
    counted = evidence_of_failure(past, least)
    if not counted:
        return None
    goldens = store.runs.failures(past[0].id).never_passed(
        [run.id for run in counted], [run.id for run in past]
    )
    agents = len({run.agent for run in counted})
    return NeverPassed(tuple(goldens), len(counted), agents) if goldens else None


def _past_run(run: StoredRun) -> PastRun:
    return PastRun(run.id, run.run.agent, run.passed, run.judged - run.passed, _counts(run))


def _same_task(one: StoredRun, other: StoredRun) -> bool:
    mine, theirs = one.run.fingerprints, other.run.fingerprints
    same = all(mine.get(name) == theirs.get(name) for name in SAME)
    return same and not OTHER_TASKS & other.run.settings.keys()


def _counts(run: StoredRun) -> bool:
    """Whether a run is evidence: it asked for every golden live, and every trial passed or failed."""
    summary = run.run.summary
    return (
        run.finished
        and 0 < run.planned == run.judged
        and run.run.fingerprints.get("selection") == EVERY_GOLDEN
        and not {REPLAYED, CHECKED} & set(run.tags)
        and not {"rescored", *OTHER_TASKS} & run.run.settings.keys()
        and not (summary is not None and summary.stopped_early)
    )


EVERY_GOLDEN = selection_fingerprint(Selection())
