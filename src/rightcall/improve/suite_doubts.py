"""Doubts about the goldens of a suite as its newest stored run has them, with the votes of the newest runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from rightcall.core.errors import InputError
from rightcall.improve.doubt import Doubt
from rightcall.improve.golden_doubts import Doubter
from rightcall.improve.past_evidence import Electorate, PastEvidence
from rightcall.improve.past_runs import PastRuns, newest_runs
from rightcall.improve.run_setup import run_record
from rightcall.metrics.score_case import Scorer
from rightcall.model.golden import AnyGolden
from rightcall.run.rehearsal.trial import Trial
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

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
    return SuiteDoubts(
        suite,
        runs[0].id,
        doubter.examined,
        by_golden,
        goldens,
        past.electorate(),
        doubter.examined >= MOST_EXAMINED,
    )
