"""Laminar's `evaluate(data, executor, evaluators)`: a script changes `lmnr` to `rightcall.laminar` in its imports.

    from rightcall.laminar import evaluate

    evaluate(
        data=[{"data": {"country": "France"}, "target": {"capital": "Paris"}}],
        executor=lambda data: ask(data["country"]),
        evaluators={"correct": lambda output, target: int(output == target["capital"])},
        group_name="capitals",
    )

Nothing is sent anywhere: the results are a run in the store, as those of `rightcall.evaluate`, and decide.
`docs/laminar.md` says what is stricter than in Laminar.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path
from typing import Any

from rightcall.api.evaluation import aevaluate
from rightcall.api.run_result import RunResult
from rightcall.core.event_loop import finished

__all__ = ["evaluate"]

OF_THE_SERVICE = frozenset(
    (
        "project_api_key", "base_url", "base_http_url", "http_port", "grpc_port", "instruments",
        "disabled_instruments", "max_export_batch_size", "trace_export_timeout_seconds", "metadata",
    )
)  # fmt: skip
"""Arguments that say where and how Laminar stores results."""


def evaluate(
    data: str | Path | Iterable[Any],
    executor: Callable[[Any], Any],
    evaluators: Mapping[str, Callable[..., Any]],
    *,
    name: str | None = None,
    group_name: str | None = None,
    concurrency_limit: int = 5,
    **others: Any,
) -> RunResult | Coroutine[Any, Any, RunResult]:
    """Run the executor on the data of each item and score what it returns against the target with every evaluator.

    Inside a running event loop it returns a coroutine to await, as Laminar does. `others` are arguments of
    `rightcall.evaluate`; those about Laminar's service have no effect.
    """
    options = {word: value for word, value in others.items() if word not in OF_THE_SERVICE}
    work = aevaluate(
        data=data,
        executor=executor,
        evaluators=evaluators,
        name=name or "evaluate",
        group_name=group_name or "",
        concurrency=concurrency_limit,
        **options,
    )
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return finished(work)
    return work
