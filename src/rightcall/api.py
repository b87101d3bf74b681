"""The facade: what a program calls. Introduces the rooms to each other and holds no logic of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.datasets import load_goldens
from rightcall.errors import ConfigError
from rightcall.executor import Agent, RunLimits
from rightcall.gate import Verdict
from rightcall.metrics import Metric, Rules, judge, resolve_metric
from rightcall.model.golden import AnyGolden, Golden, with_id
from rightcall.model.run import CaseResult, Summary
from rightcall.store import open_store
from rightcall.suite.plan import Plan
from rightcall.suite.runner import run_plan
from rightcall.suite.selection import Selection
from rightcall.tools import load_tools
from rightcall.tools.function import tool

if TYPE_CHECKING:
    from rightcall.store import Store

__all__ = ["RunResult", "aevaluate", "evaluate", "judge", "load_dataset", "load_tools", "open_store", "tool"]


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


def load_dataset(path: str | Path) -> list[AnyGolden]:
    """All goldens of a file, in memory. `rightcall.datasets.load_goldens` reads them one at a time."""
    return list(load_goldens(path))


def evaluate(
    agent: Agent | str | Callable[[Golden], Any], dataset: str | Path | Sequence[Golden], **options: Any
) -> RunResult:
    """Run an agent on a dataset and score every case; see `aevaluate` for the options."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(aevaluate(agent, dataset, **options))
    raise ConfigError(
        "evaluate() cannot run inside a running event loop; write: await rightcall.aevaluate(…)"
    )


async def aevaluate(
    agent: Agent | str | Callable[[Golden], Any],
    dataset: str | Path | Sequence[Golden],
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
    """Run an agent on a dataset and score every case.

    `agent` is an `Agent`, a model's name, or any callable from a golden to what it did. `dataset` is a file or
    goldens. Results go to `store` (`.rightcall/rightcall.db` unless said) as they finish.
    """
    goldens = Path(dataset) if isinstance(dataset, str | Path) else [with_id(golden) for golden in dataset]
    plan = Plan(
        name=name,
        agent=agent if isinstance(agent, Agent) else Agent(agent),
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
