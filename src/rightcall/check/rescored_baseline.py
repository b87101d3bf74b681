"""A baseline whose trials are scored again, for a check after the metrics changed: no call is spent."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rightcall.core.errors import RightCallError
from rightcall.metrics.score_case import Scorer
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.recording.judged_trial import tape_judges
from rightcall.recording.library import Recordings
from rightcall.run.baseline_file import BaselineLine, BaselinePool
from rightcall.run.baseline_pool import mark_of, scores_by_run
from rightcall.run.inputs import golden_hash
from rightcall.run.run_record import tools_of_run
from rightcall.store.sql.store import Store


async def rescore_baseline(
    pool: BaselinePool,
    store: Store,
    scorer: Scorer,
    goldens: Mapping[str, AnyGolden],
    recordings: Recordings | None = None,
) -> BaselinePool | None:
    """The same trials scored by these metrics; None when a run or its trajectories are not in the store.

    Goldens edited since are left unchanged: they are not compared anyway. Judges are recorded or replayed as in a run.
    """
    runs = []
    for run in pool.header.runs:
        results_of_run = await _rescore_run(store, run.id, scorer, goldens, recordings)
        if results_of_run is None:
            return None
        runs.append(results_of_run)
    lines = []
    for line in pool.lines:
        golden = goldens.get(line.id)
        if golden is None or golden_hash(golden) != line.golden:
            lines.append(line)
            continue
        lines.append(_line(line, [results[line.id] for results in runs if line.id in results]))
    return BaselinePool(pool.header, tuple(lines))


async def _rescore_run(
    store: Store,
    run: str,
    scorer: Scorer,
    goldens: Mapping[str, AnyGolden],
    recordings: Recordings | None,
) -> dict[str, list[CaseResult]] | None:
    try:
        stored = store.runs.get(run)
    except RightCallError:
        return None
    tools = tools_of_run(store, stored)
    results_by_golden: dict[str, list[CaseResult]] = {}
    for result in store.runs.results(stored.id, trajectories=True):
        golden = goldens.get(result.golden_id)
        if golden is None:
            continue
        if result.trajectory is None:
            if not result.error:
                return None  # trajectories were not kept
            scored = result
        else:
            with tape_judges(recordings, golden, result.trial, keep_others=True):
                scored = await scorer.result(golden, result.trial, result.trajectory, tools)
        results_by_golden.setdefault(result.golden_id, []).append(scored)
    return results_by_golden


def _line(line: BaselineLine, runs: list[list[CaseResult]]) -> BaselineLine:
    codes = {failure.code for results in runs for result in results for failure in result.codes}
    return msgspec.structs.replace(
        line,
        t=tuple("".join(map(mark_of, results)) for results in runs),
        s=scores_by_run(runs),
        hard=tuple(sorted({*line.hard, *codes})),
    )
