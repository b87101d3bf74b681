"""Run an agent on a dataset, or score what was done; the results are a run in the store."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

from rightcall.agents.agent import Agent
from rightcall.agents.limits import RunLimits
from rightcall.api.run_display import RunDisplay
from rightcall.api.run_result import RunResult
from rightcall.core.event_loop import blocking, finished
from rightcall.core.seam import load
from rightcall.decide.config import Gate
from rightcall.metrics.base import AnyMetric
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.resolve import as_metrics, observed
from rightcall.metrics.score_case import Scorer
from rightcall.model.case import AnyTestCase
from rightcall.model.golden import AnyGolden, Golden, with_id
from rightcall.run.conversations import as_user
from rightcall.run.preparation import PlanWarning
from rightcall.run.recorded_scores import score_cases as score_ready
from rightcall.run.request import EvaluateOptions, EvaluateRequest, deepeval_options, gate_of, read_request
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.improve.findings import Analysis
    from rightcall.run.backend import WorkerPool
    from rightcall.run.plan import Plan


async def aevaluate(
    agent: Agent | str | Callable[[Golden], Any] | Sequence[AnyTestCase] | None = None,
    dataset: str | Path | Iterable[Golden] | Sequence[AnyMetric] = (),
    *,
    test_cases: Sequence[AnyTestCase] | None = None,
    data: str | Path | Iterable[Any] | None = None,
    executor: Agent | str | Callable[[Any], Any] | None = None,
    evaluators: Mapping[str, Callable[..., Any]] | None = None,
    trials: int = 1,
    metrics: Sequence[AnyMetric] = (),
    observe: Sequence[AnyMetric] = (),
    rules: ScoringRules | None = None,
    concurrency: int = 32,
    seed: int = 0,
    name: str = "evaluate",
    group: str = "",
    group_name: str = "",
    gate: Gate | Mapping[str, Any] | float | None = None,
    only: Sequence[str] = (),
    run_limits: RunLimits | None = None,
    user: Any = None,
    store: str | Path | None = None,
    workers: int | None = None,
    on: str | None = None,
    progress: bool | None = None,
    hyperparameters: Mapping[str, Any] | None = None,
    identifier: str | None = None,
    async_config: Any = None,
    display_config: Any = None,
    cache_config: Any = None,
    **unknown: Never,
) -> RunResult:
    """Run an agent on a dataset and score every case, or score existing test cases.

    `agent` is an `Agent`, a model's name, or any callable that takes a golden and returns what it did. `dataset` is a
    file or goldens. With `test_cases` (or a list of them first) nothing is run. With `data` and `executor`, a
    function is run on the data of each `{data, target}`, and `evaluators` score what it returned against the target.

    A case passes when its golden is satisfied and every one of `metrics` passes: names, metrics or plain functions.
    Metrics in `observe` are measured without affecting the result. `gate` decides whether the run passes: a `Gate`,
    the mapping of a suite, or the pass rate to reach; without one every case must pass. `user` plays the users of
    conversations that are not fully scripted: a model, the mapping of a suite, or a `UserSetup`. `group` (or
    `group_name`) groups runs to compare over time. Results go to `store` [default: .rightcall/rightcall.db] as they
    finish. `workers` processes share the run, on Ray `on` this machine ("ray") or a cluster ("ray:auto"). `progress`
    shows a progress bar [default: in notebooks, and when stderr is a terminal].

    DeepEval's `hyperparameters` are kept with the run, `identifier` is its `name`, `async_config.max_concurrent` its
    `concurrency`; `display_config` and `cache_config` have no effect.
    """
    given: dict[str, Any] = {
        "metrics": metrics,
        "observe": observe,
        "rules": rules,
        "trials": trials,
        "concurrency": concurrency,
        "seed": seed,
        "name": name,
        "group": group or group_name,
        "gate": gate_of(gate),
        "only": only,
        "run_limits": run_limits,
        "user": as_user(user),
    }
    words = {
        "hyperparameters": hyperparameters,
        "identifier": identifier,
        "async_config": async_config,
        **unknown,
    }
    request = read_request(
        agent,
        dataset,
        test_cases=test_cases,
        data=data,
        executor=executor,
        evaluators=evaluators,
        options=EvaluateOptions(**given | deepeval_options(words)),
    )
    if request.plan is None:
        return await _score_ready(request, store)
    with _shared(workers, on) as shared, RunDisplay(progress) as display:
        return await _run(request.plan, store, shared, display)


def rescore(
    run: str = "last",
    metrics: Sequence[AnyMetric] = (),
    *,
    observe: Sequence[AnyMetric] = (),
    rules: ScoringRules | None = None,
    goldens: Iterable[AnyGolden] = (),
    store: str | Path | None = None,
) -> RunResult:
    """Score the stored trajectories of a run again with other metrics or rules, and store the result as a new run.

    Runs nothing. `goldens` replace stored ones with the same id, which is needed for goldens that contain functions.
    """
    from rightcall.run.rescorer import rescore_run

    chosen = as_metrics(metrics)
    scorer = Scorer(chosen, observed(observe, chosen), rules or ScoringRules())
    opened = open_store(store, must_exist=True)
    work = rescore_run(opened, run, scorer, goldens=[with_id(golden) for golden in goldens])
    return RunResult(*finished(work), opened)


def analyze(
    run: str | RunResult = "last", *, against: Sequence[str] | None = None, store: str | Path | None = None
) -> Analysis:
    """Why a run fails: findings with evidence and the change each suggests, the most certain and largest first.

    `against` names runs of other models on the same goldens [default: the newest of each]. Nothing is run.
    """
    from rightcall.improve.run_analysis import analyze_run

    opened = run.store if isinstance(run, RunResult) else open_store(store, must_exist=True)
    return analyze_run(opened, run.id if isinstance(run, RunResult) else run, against=against)


async def ascore_cases(
    cases: Sequence[AnyTestCase],
    metrics: Sequence[AnyMetric] = (),
    *,
    observe: Sequence[AnyMetric] = (),
    rules: ScoringRules | None = None,
    concurrency: int = 32,
    name: str = "evaluate",
    group: str = "",
    gate: Gate | Mapping[str, Any] | float | None = None,
    store: str | Path | None = None,
) -> RunResult:
    """Score existing test cases and store the results as a run; nothing is run.

    A case passes when its golden is satisfied and every one of `metrics` passes. Several cases of one golden are its
    trials.
    """
    return await aevaluate(
        test_cases=cases,
        metrics=metrics,
        observe=observe,
        rules=rules,
        concurrency=concurrency,
        name=name,
        group=group,
        gate=gate,
        store=store,
    )


def _shared(workers: int | None, on: str | None) -> AbstractContextManager[WorkerPool | None]:
    """The workers of a run, ended with it; none unless requested."""
    if workers is None and on is None:
        return nullcontext()
    from rightcall.run.suite import WorkersConfig

    pool: WorkerPool = load("services", "workers")(
        WorkersConfig(count=workers), on or "ray", folder=Path.cwd(), dataset=None
    )
    return pool


def _say_nothing(line: str) -> None:
    """The library never prints."""


def warn_of_mode(warning: PlanWarning) -> None:
    """A gate's verdict reports its own limits; only this warning says that a mode can never satisfy a golden."""
    if warning.about == "mode":
        warnings.warn(warning.text, stacklevel=2)


async def _run(
    plan: Plan, store: str | Path | None, workers: WorkerPool | None, display: RunDisplay
) -> RunResult:
    """Run a plan, here or on workers."""
    opened = open_store(store)
    backend = workers.backend(plan, opened, _say_nothing) if workers else None
    outcome = await run_plan(plan, opened, watch=display.watch, warn=warn_of_mode, backend=backend)
    for notice in outcome.notices:
        if "looks like a tool call" in notice:
            warnings.warn(notice, stacklevel=2)
    return RunResult(outcome.run.id, outcome.summary, outcome.verdict, opened)


async def _score_ready(request: EvaluateRequest, store: str | Path | None) -> RunResult:
    """Score the test cases of a request and store the results as a run."""
    options = request.options
    results = await score_ready(request.ready, request.scorer, concurrency=options.concurrency)
    from rightcall.run.stored_cases import keep_cases

    opened = open_store(store)
    run_id, summary, verdict = keep_cases(opened, request.ready, results, request.scorer, options)
    return RunResult(run_id, summary, verdict, opened)


evaluate = blocking("evaluate", aevaluate)
score_cases = blocking("score_cases", ascore_cases)
