"""`evaluate(test_cases, metrics)` as in DeepEval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rightcall.api.evaluate_options import ScoreCasesOptions
from rightcall.api.evaluation import ascore_cases
from rightcall.core.errors import suggestion
from rightcall.core.event_loop import as_blocking
from rightcall.deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from rightcall.deepeval.evaluate.test_result import EvaluationResult
from rightcall.metrics.base import AnyMetric
from rightcall.records.case import AnyTestCase


async def aevaluate(
    test_cases: Sequence[AnyTestCase],
    metrics: Sequence[AnyMetric] | None = None,
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    identifier: str | None = None,
    async_config: AsyncConfig | None = None,
    display_config: DisplayConfig | None = None,
    cache_config: CacheConfig | None = None,
    error_config: ErrorConfig | None = None,
    **others: Any,
) -> EvaluationResult:
    """Score test cases with metrics and store the results as a run. `test_results` has them in DeepEval's form.

    A case passes when its metrics pass and what its golden states holds: calls that contradict `expected_tools` fail it
    whatever the metrics measure. `hyperparameters` are the `settings` of the run, `identifier` is its `name`,
    `async_config.max_concurrent` its `concurrency`; `display_config` and `cache_config` have no effect. `others` are
    arguments of `rightcall.score_cases`.
    """
    if error_config is not None and error_config.skip_on_missing_params:
        raise TypeError(
            "evaluate() cannot skip metrics: one without its data is an error; "
            "remove skip_on_missing_params, or leave the metric out"
        )
    options: dict[str, Any] = {"settings": hyperparameters or {}}
    if identifier:
        options["name"] = identifier
    if async_config is not None:
        options["concurrency"] = async_config.max_concurrent
    names = [*ScoreCasesOptions.__dataclass_fields__, "hyperparameters", "identifier", "async_config"]
    for word in others.keys() - {*names, "observe"}:
        hint = suggestion(word, names) or f"known: {', '.join(names)}"
        raise TypeError(f"evaluate() got an unexpected argument '{word}'; {hint}")
    run = await ascore_cases(test_cases, metrics or (), **options | others)
    return EvaluationResult(run.id, run.summary, run.verdict, run.store)


evaluate = as_blocking("evaluate", aevaluate)
