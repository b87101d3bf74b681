"""Run an agent on a dataset, or score what was done; the results are a run in the store."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from rightcall.api.evaluate_options import EvaluateOptions, ScoreCasesOptions
from rightcall.api.run_display import RunDisplay
from rightcall.api.run_result import RunResult, announce, warn_of_mode
from rightcall.core.codec import convert
from rightcall.core.event_loop import as_blocking, run_blocking
from rightcall.core.options import takes
from rightcall.core.seam import load
from rightcall.improve.findings import Analysis
from rightcall.metrics.base import AnyMetric
from rightcall.metrics.matching.verdict import Rules
from rightcall.records.golden import AnyGolden, with_id
from rightcall.run.recorded_scores import score_cases as score_ready, scorer_of
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.run.backend import WorkerPool
    from rightcall.run.plan import Plan


P = ParamSpec("P")
T = TypeVar("T")


@takes(EvaluateOptions)
async def aevaluate(options: EvaluateOptions) -> RunResult:
    """Run an agent on a dataset and score every case; results go to the store as they finish.

    A case passes when its golden is satisfied and every one of `metrics` passes.
    """
    plan = options.plan()
    alone = options.workers is None and options.on is None
    pool = nullcontext() if alone else worker_pool(options.workers, options.on)
    with pool as workers, RunDisplay(options.progress) as display:
        run = await _run(plan, options.store, workers, display)
    announce(run, quiet=options.quiet)
    return run


def rescore(
    run: str = "last",
    metrics: Sequence[AnyMetric] = (),
    *,
    measure: Sequence[AnyMetric] = (),
    rules: Rules | None = None,
    goldens: Iterable[AnyGolden] = (),
    store: str | Path | None = None,
) -> RunResult:
    """Score the stored trajectories of a run again with other metrics or rules, and store the result as a new run.

    Runs nothing. `goldens` replace stored ones with the same id, which is needed for goldens that contain functions.
    """
    from rightcall.run.rescorer import rescore_run

    opened = open_store(store, must_exist=True)
    scorer = scorer_of(metrics, measure, rules)
    work = rescore_run(opened, run, scorer, goldens=[with_id(golden) for golden in goldens])
    return RunResult(*run_blocking(work), opened)


def analyze(
    run: str | RunResult = "last", *, against: Sequence[str] | None = None, store: str | Path | None = None
) -> Analysis:
    """Why a run fails: findings with evidence and the change each suggests, dangerous ones first, then the largest.

    `against` names runs of other models on the same goldens [default: the newest of each]. Nothing is run.
    """
    from rightcall.improve.run_analysis import analyze_run

    opened = run.store if isinstance(run, RunResult) else open_store(store, must_exist=True)
    analysis = analyze_run(opened, run.id if isinstance(run, RunResult) else run, against=against)
    return RunAnalysis(**{name: getattr(analysis, name) for name in analysis.__struct_fields__})


@takes(ScoreCasesOptions)
async def ascore_cases(options: ScoreCasesOptions) -> RunResult:
    """Score existing test cases and store the results as a run; nothing is run.

    A case passes when its golden is satisfied and every one of `metrics` passes. Several cases of one golden are its
    trials.
    """
    from rightcall.run.floor import TrivialScorer, compute_floor
    from rightcall.run.rehearsal.trial import Trial
    from rightcall.run.stored_cases import keep_cases

    scorer = scorer_of(options.metrics, options.measure, options.rules)
    cases = options.require_cases()
    results = await score_ready(cases, scorer, concurrency=options.concurrency)
    goldens = {with_id(case.golden).id: with_id(case.golden) for case in cases}
    tools = dict(chain.from_iterable(case.tools.items() for case in cases))
    gate = options.decision()
    floor = None
    if gate is not None and gate.above_floor is not None:
        floor = await compute_floor(goldens.values(), TrivialScorer(Trial(scorer, tools), single_turn=True))
    store = open_store(options.store)
    run_id, summary, verdict = keep_cases(
        store,
        cases,
        results,
        scorer,
        name=options.name,
        group=options.group,
        gate=gate,
        settings=options.plain_settings(),
        floor=floor,
    )
    run = RunResult(run_id, summary, verdict, store)
    announce(run, quiet=options.quiet)
    return run


def worker_pool(workers: int | None, on: str | None) -> WorkerPool:
    """Workers for code in the working folder, on Ray unless `on` names another place."""
    config = convert({"on": on or "ray", "count": workers}, load("limbs", "workers").block, "workers")
    pool: WorkerPool = load("services", "workers")(config, folder=Path.cwd(), dataset=None)
    return pool


def _say_nothing(line: str) -> None:
    """The library never prints."""


async def _run(
    plan: Plan, store: str | Path | None, workers: WorkerPool | None, display: RunDisplay
) -> RunResult:
    opened = open_store(store)
    backend = workers.backend(plan, opened, _say_nothing) if workers else None
    outcome = await run_plan(plan, opened, watch=display.watch, warn=warn_of_mode, backend=backend)
    for notice in outcome.notices:
        if "looks like a tool call" in notice:
            warnings.warn(notice, stacklevel=2)
    return RunResult(outcome.run.id, outcome.summary, outcome.verdict, opened)


evaluate = as_blocking("evaluate", aevaluate)
score_cases = as_blocking("score_cases", ascore_cases)


class RunAnalysis(Analysis, frozen=True):
    """Why a run fails; printed as `rightcall analyze` prints it, and a table in a notebook."""

    def __str__(self) -> str:
        from rightcall.show.analysis import print_analysis
        from rightcall.show.screen import screen_text

        return screen_text(partial(print_analysis, analysis=self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from rightcall.show.notebook import analysis_html

        return analysis_html(self)
