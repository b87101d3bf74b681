"""`evaluate(test_cases, metrics)` as in DeepEval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import rightcall
from rightcall.api.run_result import RunResult
from rightcall.deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from rightcall.metrics.base import AnyMetric
from rightcall.model.case import AnyTestCase


def evaluate(
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
) -> RunResult:
    """Score test cases with metrics and store the results as a run. `test_results` has them in DeepEval's form.

    A case passes when its metrics pass and what its golden states holds: calls that contradict `expected_tools` fail it
    whatever the metrics measure. `others` are arguments of `rightcall.evaluate`.
    """
    if error_config is not None and error_config.skip_on_missing_params:
        raise TypeError(
            "evaluate() cannot skip metrics: one without its data is an error; "
            "remove skip_on_missing_params, or leave the metric out"
        )
    return rightcall.evaluate(
        test_cases=test_cases,
        metrics=metrics or (),
        hyperparameters=hyperparameters,
        identifier=identifier,
        async_config=async_config,
        display_config=display_config,
        cache_config=cache_config,
        **others,
    )
