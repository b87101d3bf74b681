"""The facade: what a program calls. Introduces the rooms to each other and holds no logic of its own."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rightcall.datasets import load_goldens
from rightcall.errors import ConfigError
from rightcall.executor import Agent, RunLimits
from rightcall.gate import Gate, Verdict
from rightcall.metrics import AnyMetric, Rules, Scorer, as_metrics, judge, observed
from rightcall.model.case import AnyTestCase
from rightcall.model.golden import AnyGolden, Golden, with_id
from rightcall.model.run import CaseResult, Summary
from rightcall.store import open_store
from rightcall.suite import (
    Options,
    Request,
    as_user,
    deepeval_options,
    gate_of,
    mode_warnings,
    read_request,
    run_plan,
    score_cases,
)
from rightcall.tools import load_tools
from rightcall.tools.definitions import tool

if TYPE_CHECKING:
    from rightcall.store import Store

__all__ = [
    "RunResult",
    "aevaluate",
    "evaluate",
    "judge",
    "load_dataset",
    "load_tools",
    "open_store",
    "rescore",
    "tool",
]

T = TypeVar("T")


@dataclass(frozen=True)
class RunResult:
    """A finished run: its id in the store, what it adds up to, and the verdict.

    `results` reads every case back from the store, in a fixed order.
    """

    id: str
    summary: Summary
    verdict: Verdict
    store: Store

    @property
    def results(self) -> Iterable[CaseResult]:
        return self.store.results(self.id, trajectories=True)

    @property
    def passed(self) -> bool:
        return self.verdict.word == "PASS"

    @property
    def test_results(self) -> list[CaseResult]:
        """Every result, in a list."""
        return list(self.results)


def load_dataset(path: str | Path) -> list[AnyGolden]:
    """All goldens of a file, in memory. `rightcall.datasets.load_goldens` reads them one at a time."""
    return list(load_goldens(path))


def evaluate(
    agent: Agent | str | Callable[[Golden], Any] | Sequence[AnyTestCase] | None = None,
    dataset: str | Path | Iterable[Golden] | Sequence[AnyMetric] = (),
    **options: Any,
) -> RunResult:
    """Run an agent on a dataset, or score ready test cases by metrics; see `aevaluate` for the options.

    `evaluate(agent, "goldens.jsonl", trials=3)`, `evaluate(test_cases=cases, metrics=["tool_selection"])`, or
    `evaluate(data=items, executor=function, evaluators={"name": function})`.
    """
    return finished(aevaluate(agent, dataset, **options), "await rightcall.aevaluate(…)")


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
    rules: Rules | None = None,
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
    **others: Any,
) -> RunResult:
    """Run an agent on a dataset and score every case, or score ready test cases.

    `agent` is an `Agent`, a model's name, or any callable from a golden to what it did. `dataset` is a file or
    goldens. With `test_cases` (or a list of them first) nothing is run. With `data` and `executor`, a function is run
    on the data of each `{data, target}`, and `evaluators` score what it returned against the target.

    A case passes when its golden is satisfied and every one of `metrics` passes: names, metrics or plain functions.
    Those under `observe` only measure. `gate` decides about the run: a `Gate`, the mapping of a suite, or the pass rate
    to reach; without one every case must pass. `user` plays the users of conversations that are not scripted to their
    end: a model, the mapping of a suite, or a `UserSetup`. `group` (or `group_name`) follows runs over time. Results go
    to `store` [default: .rightcall/rightcall.db] as they finish.
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
    request = read_request(
        agent,
        dataset,
        test_cases=test_cases,
        data=data,
        executor=executor,
        evaluators=evaluators,
        options=Options(**given | deepeval_options(others)),
    )
    if request.plan is None:
        return await arun_request(request, store)
    for note in mode_warnings(request.plan.agent, request.plan.goldens()):
        warnings.warn(note, stacklevel=3)
    opened = open_store(store)
    outcome = await run_plan(request.plan, opened)
    return RunResult(outcome.run.id, outcome.summary, outcome.verdict, opened)


def rescore(
    run: str = "last",
    metrics: Sequence[AnyMetric] = (),
    *,
    observe: Sequence[AnyMetric] = (),
    rules: Rules | None = None,
    goldens: Iterable[AnyGolden] = (),
    store: str | Path | None = None,
) -> RunResult:
    """Score the stored trajectories of a run again, by other metrics or rules, and keep that as a new run.

    Nothing is run. `goldens` replace stored ones of the same id, for those that hold functions.
    """
    from rightcall.suite import rescore_run

    chosen = as_metrics(metrics)
    scorer = Scorer(chosen, observed(observe, chosen), rules or Rules())
    opened = open_store(store, must_exist=True)
    work = rescore_run(opened, run, scorer, goldens=[with_id(golden) for golden in goldens])
    return RunResult(*finished(work, "await rightcall.suite.rescorer.rescore_run(…)"), opened)


async def arun_cases(
    cases: Sequence[AnyTestCase],
    metrics: Sequence[AnyMetric] = (),
    *,
    name: str = "evaluate",
    store: str | Path | None = None,
) -> RunResult:
    """Score ready test cases and keep the results as a run."""
    return await aevaluate(test_cases=cases, metrics=metrics, name=name, store=store)


async def arun_request(request: Request, store: str | Path | None) -> RunResult:
    """Score the test cases of a request and keep the results as a run."""
    options = request.options
    results = await score_cases(request.ready, request.scorer, concurrency=options.concurrency)
    from rightcall.suite import keep_cases

    opened = open_store(store)
    run_id, summary, verdict = keep_cases(opened, request.ready, results, request.scorer, options)
    return RunResult(run_id, summary, verdict, opened)


def finished(work: Coroutine[Any, Any, T], instead: str) -> T:
    """What a coroutine gives; inside a running event loop an error that says what to type instead."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise ConfigError(f"this cannot run inside a running event loop; write: {instead}")
