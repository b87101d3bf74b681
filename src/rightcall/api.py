"""The facade: what a program calls. Introduces the rooms to each other and holds no logic of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rightcall.adapters.observed_agent import observe
from rightcall.datasets import load_goldens
from rightcall.errors import ConfigError
from rightcall.executor import Agent, RunLimits
from rightcall.gate import Verdict
from rightcall.metrics import Metric, Rules, judge, resolve_metric
from rightcall.model.case import AnyTestCase, ConversationalTestCase, TestCase
from rightcall.model.golden import AnyGolden, Golden, with_id
from rightcall.model.run import CaseResult, Summary
from rightcall.store import open_store
from rightcall.suite.cases import score_cases
from rightcall.suite.plan import Plan
from rightcall.suite.runner import run_plan
from rightcall.suite.selection import Selection
from rightcall.tools import load_tools
from rightcall.tools.function import tool

if TYPE_CHECKING:
    from rightcall.store import Store

__all__ = [
    "RunResult",
    "aevaluate",
    "evaluate",
    "judge",
    "load_dataset",
    "load_tools",
    "observe",
    "open_store",
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
        return self.store.results(self.id)

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
    agent: Agent | str | Callable[[Golden], Any] | Sequence[AnyTestCase],
    dataset: str | Path | Iterable[Golden] | Sequence[Metric | str] = (),
    **options: Any,
) -> RunResult:
    """Run an agent on a dataset, or score ready test cases by metrics; see `aevaluate` for the options.

    `evaluate(agent, "goldens.jsonl", trials=3)`, or `evaluate(test_cases, metrics=["tool_selection"])`.
    """
    return finished(aevaluate(agent, dataset, **options), "await rightcall.aevaluate(…)")


async def aevaluate(
    agent: Agent | str | Callable[[Golden], Any] | Sequence[AnyTestCase],
    dataset: str | Path | Iterable[Golden] | Sequence[Metric | str] = (),
    *,
    trials: int = 1,
    metrics: Sequence[Metric | str] = (),
    rules: Rules | None = None,
    concurrency: int = 32,
    seed: int = 0,
    name: str = "evaluate",
    only: Sequence[str] = (),
    run_limits: RunLimits | None = None,
    store: str | Path | None = None,
) -> RunResult:
    """Run an agent on a dataset and score every case, or score ready test cases.

    `agent` is an `Agent`, a model's name, or any callable from a golden to what it did. `dataset` is a file or
    goldens. Results go to `store` (`.rightcall/rightcall.db` unless said) as they finish. With test cases instead of an
    agent nothing is run, and the metrics (given second or by name) decide which pass.
    """
    if isinstance(agent, list | tuple):
        named = cast("Sequence[Metric | str]", metrics or dataset)
        return await arun_cases(agent, named, rules=rules, concurrency=concurrency, name=name, store=store)
    goldens: Any = dataset
    if isinstance(dataset, str | Path):
        goldens = Path(dataset)
    else:
        goldens = [with_id(golden) for golden in cast("Iterable[Golden]", dataset)]
    if not isinstance(goldens, Path) and not goldens:
        raise ConfigError(
            "evaluate(agent, dataset) needs goldens: a file such as 'goldens.jsonl', or a list of them"
        )
    plan = Plan(
        name=name,
        agent=agent if isinstance(agent, Agent) else Agent(cast("str", agent)),
        dataset=goldens,
        metrics=[resolve_metric(metric) if isinstance(metric, str) else metric for metric in metrics],
        rules=rules or Rules(),
        trials=trials,
        seed=seed,
        concurrency=concurrency,
        run_limits=run_limits or RunLimits(),
        selection=Selection(tuple(only)),
    )
    opened = open_store(store)
    outcome = await run_plan(plan, opened)
    return RunResult(outcome.run.id, outcome.summary, outcome.verdict, opened)


async def arun_cases(
    cases: Sequence[AnyTestCase],
    metrics: Sequence[Metric | str] = (),
    *,
    rules: Rules | None = None,
    concurrency: int = 32,
    name: str = "evaluate",
    store: str | Path | None = None,
) -> RunResult:
    """Score ready test cases and keep the results as a run."""
    if not cases:
        raise ConfigError("evaluate(test_cases, metrics) needs test cases, got none")
    for place, case in enumerate(cases):
        if not isinstance(case, TestCase | ConversationalTestCase):
            raise ConfigError(f"test case {place} is {type(case).__name__}, a TestCase was expected")
    chosen = [resolve_metric(metric) if isinstance(metric, str) else metric for metric in metrics]
    results = await score_cases(cases, chosen, rules=rules, concurrency=concurrency)
    from rightcall.suite.keeping import keep_cases

    opened = open_store(store)
    run_id, summary, verdict = keep_cases(opened, cases, results, chosen, name)
    return RunResult(run_id, summary, verdict, opened)


def finished(work: Coroutine[Any, Any, T], instead: str) -> T:
    """What a coroutine gives; inside a running event loop an error that says what to type instead."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise ConfigError(f"this cannot run inside a running event loop; write: {instead}")
