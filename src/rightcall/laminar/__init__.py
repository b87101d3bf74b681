"""Laminar's `evaluate(data, executor, evaluators)`: a script changes `lmnr` to `rightcall.laminar` in its imports.

    from rightcall.laminar import evaluate

    evaluate(
        data=[{"data": {"country": "France"}, "target": {"capital": "Paris"}}],
        executor=lambda data: ask(data["country"]),
        evaluators={"correct": lambda output, target: int(output == target["capital"])},
        group_name="capitals",
    )

    datapoints   the data as goldens, the executor as an agent, an evaluator as a metric

Nothing is sent anywhere: the results are a run in the store, as those of `rightcall.evaluate`, and decide.
`docs/laminar.md` says what is stricter than in Laminar.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rightcall.api.evaluation import aevaluate as run_agent
from rightcall.api.run_result import RunResult
from rightcall.core.event_loop import run_blocking
from rightcall.laminar.datapoints import Evaluator, agent_of, goldens_of
from rightcall.metrics.base import AnyMetric

__all__ = ["aevaluate", "evaluate"]

OF_THE_SERVICE = frozenset(
    (
        "project_api_key", "base_url", "base_http_url", "http_port", "grpc_port", "instruments",
        "disabled_instruments", "max_export_batch_size", "trace_export_timeout_seconds", "metadata",
    )
)  # fmt: skip
"""Arguments that say where and how Laminar stores results."""


async def aevaluate(
    data: str | Path | Iterable[Any] | None = None,
    executor: Callable[[Any], Any] | None = None,
    evaluators: Mapping[str, Callable[..., Any]] | None = None,
    *,
    name: str | None = None,
    group_name: str | None = None,
    concurrency_limit: int = 5,
    metrics: Sequence[AnyMetric] = (),
    **others: Any,
) -> RunResult:
    """`evaluate` for a running event loop."""
    if data is None or executor is None:
        missing = "data" if data is None else "executor"
        raise TypeError(f"evaluate(data=…, executor=…) requires both; {missing} is missing")
    if evaluators is not None and not isinstance(evaluators, Mapping):
        raise TypeError("evaluators must map a name to a function: evaluators={'exact': exact}")
    options = {
        "name": name or "evaluate",
        "group": group_name or "",
        "concurrency": concurrency_limit,
        **{word: value for word, value in others.items() if word not in OF_THE_SERVICE},
    }
    every = [*metrics, *(Evaluator(label, function) for label, function in (evaluators or {}).items())]
    return await run_agent(agent_of(executor), goldens_of(data), metrics=every, **options)


def evaluate(
    data: str | Path | Iterable[Any] | None = None,
    executor: Callable[[Any], Any] | None = None,
    evaluators: Mapping[str, Callable[..., Any]] | None = None,
    **options: Any,
) -> RunResult | Coroutine[Any, Any, RunResult]:
    """Run the executor on the data of each item and score what it returns against the target with every evaluator.

    Inside a running event loop it returns a coroutine to await, as Laminar does. `options` are Laminar's `name`,
    `group_name` and `concurrency_limit`, and those of `rightcall.evaluate`; those about Laminar's service have no
    effect.
    """
    work = aevaluate(data, executor, evaluators, **options)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_blocking(work)
    return work
