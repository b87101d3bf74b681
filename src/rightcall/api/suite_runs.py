"""run_suite: a suite run as `rightcall run` does it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rightcall.api.evaluation import warn_of_mode
from rightcall.api.run_result import RunResult
from rightcall.api.suite_run import SuiteRun
from rightcall.core.event_loop import blocking
from rightcall.recording.settings import RecordMode
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store


async def arun_suite(
    suite: str | Path,
    *,
    model: str | None = None,
    base_url: str | None = None,
    metrics: Sequence[str] = (),
    trials: int | None = None,
    only: Sequence[str] = (),
    limit: int | None = None,
    concurrency: int | None = None,
    faults: str | Path | None = None,
    record: RecordMode | None = None,
    include_unreviewed: bool = False,
    trust: bool = False,
    resume: str | None = None,
    store: str | Path | None = None,
) -> RunResult:
    """Run a suite, score every case and store the results, as `rightcall run` does.

    `model`, `base_url`, `trials`, `concurrency`, `faults` and `record` replace its own settings; `model` may be a name
    of its `models`, or of the project's.
    `metrics` decide in addition to those of the suite. `only` selects goldens by id, tag or category, `limit` takes the
    first of them. With `faults` only the faulty run is made: `rc.compare` it with a run without faults. `resume`
    names an unfinished run. A suite from outside the project starts programs and imports modules only with
    `trust=True`. Results go to `store` [default: .rightcall/rightcall.db].
    """
    asked = SuiteRun(
        Path(suite),
        (model,) if model else (),
        metrics,
        base_url=base_url,
        trials=trials,
        only=only,
        limit=limit,
        concurrency=concurrency,
        faults=Path(faults) if faults else None,
        record=record,
        include_unreviewed=include_unreviewed,
        trust=trust,
    )
    (plan,) = asked.plans()
    opened = open_store(store)
    outcome = await run_plan(plan, opened, resume=resume, warn=warn_of_mode)
    return RunResult(outcome.run.id, outcome.summary, outcome.verdict, opened)


run_suite = blocking("run_suite", arun_suite)
