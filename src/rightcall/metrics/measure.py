"""From a case to its result: the dimensions of every case, and the metrics that were asked for."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache

from rightcall.metrics.base import PERFECT, Metric, VerdictMetric
from rightcall.metrics.matching.judge import DEFAULT_RULES, flawless, judge
from rightcall.metrics.matching.reasons import sentence
from rightcall.metrics.matching.verdict import Rules, Verdict
from rightcall.metrics.resolve import DIMENSIONS, resolve_metric
from rightcall.model.case import TestCase
from rightcall.model.golden import Golden
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory

SPOTLESS = dict.fromkeys(DIMENSIONS, PERFECT)


def dimension_scores(verdict: Verdict) -> dict[str, Score]:
    """The score of each dimension; one shared dict for flawless cases, which are the most common."""
    if verdict is flawless(verdict.numbers.tp):
        return SPOTLESS
    said = [sentence(failure) for failure in verdict.failures]
    return {name: metric.of(verdict, said) for name, metric in _dimensions()}


def result_of(
    golden: Golden,
    trial: int,
    trajectory: Trajectory,
    tools: Mapping[str, Tool],
    *,
    rules: Rules = DEFAULT_RULES,
) -> CaseResult:
    """The result of one case by its dimensions alone."""
    verdict = judge(golden, trajectory, tools, rules=rules)
    error = ""
    if trajectory.stop_reason == "infra_error":
        error = trajectory.error or "the provider did not answer"
    return CaseResult(  # by position: names cost half a microsecond, and this is made for every case
        golden.id,
        trial,
        verdict.passed,
        verdict.score,
        dimension_scores(verdict),
        verdict.failures,
        golden.category,
        golden.cluster,
        golden.tags,
        error,
        trajectory.latency_ms,
        trajectory.usage,
    )


async def measure_all(metrics: Sequence[Metric], case: TestCase) -> dict[str, Score]:
    """The score of each metric. A metric that breaks gives an error score, never an exception."""
    return {metric.name: await measure_one(metric, case) for metric in metrics}


async def measure_one(metric: Metric, case: TestCase) -> Score:
    try:
        score = metric.measure(case)
        if inspect.isawaitable(score):
            score = await score
    except Exception as error:
        return Score.broken(f"{metric.name} raised {type(error).__name__}: {error}")
    if not isinstance(score, Score):
        return Score.broken(f"{metric.name} returned {type(score).__name__}, not a Score")
    return score


@cache
def _dimensions() -> list[tuple[str, VerdictMetric]]:
    found = [(name, resolve_metric(name)) for name in DIMENSIONS]
    return [(name, metric) for name, metric in found if isinstance(metric, VerdictMetric)]
