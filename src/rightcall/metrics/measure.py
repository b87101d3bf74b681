"""From a case to its result: the dimensions of every case, and the metrics that were asked for."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from operator import attrgetter

from rightcall.metrics.base import PERFECT, Metric, VerdictMetric
from rightcall.metrics.matching.flawless import flawless, is_flawless
from rightcall.metrics.matching.judge import DEFAULT_RULES, judge_closely
from rightcall.metrics.matching.reasons import sentence
from rightcall.metrics.matching.verdict import Numbers, Rules, Verdict
from rightcall.metrics.resolve import DIMENSIONS, resolve_metric
from rightcall.model.case import TestCase
from rightcall.model.failure import Failure
from rightcall.model.golden import Golden
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory

SPOTLESS = dict.fromkeys(DIMENSIONS, PERFECT)
NUMBERED = tuple(name for name in DIMENSIONS if name != "overall")
"""Dimensions that are a number of the verdict under the same name."""
NUMBERS_OF = attrgetter(*NUMBERED)


def dimension_scores(verdict: Verdict) -> dict[str, Score]:
    """The score of each dimension; one shared dict for flawless cases, which are the most common."""
    if verdict is flawless(verdict.numbers.tp):
        return SPOTLESS
    failures = verdict.failures
    if len(failures) == 1 and not verdict.unknown:
        return _for_one_reason(verdict, sentence(failures[0]))
    said = [sentence(failure) for failure in failures]
    return {name: metric.of(verdict, said) for name, metric in _dimensions()}


def _for_one_reason(verdict: Verdict, why: str) -> dict[str, Score]:
    """The same when one failure explains every dimension: most are then 1 or 0, and share a score."""
    zeros, between = _imperfect(verdict.numbers)
    scores = SPOTLESS.copy()
    scores.update(dict.fromkeys(zeros, Score(0.0, False, why)))
    for name, value in between:
        scores[name] = Score(value, False, why)
    scores["overall"] = Score(verdict.score, verdict.passed, why)
    return scores


@lru_cache(maxsize=1024)
def _imperfect(numbers: Numbers) -> tuple[list[str], list[tuple[str, float]]]:
    """The dimensions that are 0, and those between 0 and 1 with their values."""
    values = list(zip(NUMBERED, NUMBERS_OF(numbers), strict=True))
    return [name for name, value in values if not value], [pair for pair in values if 0.0 < pair[1] < 1.0]


def result_of(
    golden: Golden,
    trial: int,
    trajectory: Trajectory,
    tools: Mapping[str, Tool],
    *,
    rules: Rules = DEFAULT_RULES,
) -> CaseResult:
    """The result of one case by its dimensions alone."""
    failures: tuple[Failure, ...] = ()
    if is_flawless(golden, trajectory):
        passed, score, scores, error = True, 1.0, SPOTLESS, ""
    else:
        verdict = judge_closely(golden, trajectory, tools, rules)
        passed, score, failures = verdict.passed, verdict.score, verdict.failures
        scores, error = dimension_scores(verdict), no_answer(trajectory) or verdict.undecided
    return CaseResult(  # by position: names cost half a microsecond, and this is made for every case
        golden.id,
        trial,
        passed,
        score,
        scores,
        failures,
        golden.category,
        golden.cluster,
        golden.tags,
        error,
        trajectory.latency_ms,
        trajectory.usage,
    )


def no_answer(trajectory: Trajectory) -> str:
    """Why nothing can be said of the agent; empty when something can."""
    if trajectory.stop_reason != "infra_error":
        return ""
    return trajectory.error or "the provider did not answer"


async def measure_all(metrics: Sequence[Metric], case: TestCase) -> dict[str, Score]:
    """The score of each metric. A metric that breaks gives an error score, never an exception."""
    return {metric.name: await measure_one(metric, case) for metric in metrics}


async def measure_one(metric: Metric, case: TestCase) -> Score:
    try:
        score = metric.measure(case)
        if inspect.isawaitable(score):
            score = await score
    except (Exception, SystemExit) as error:  # a metric has no say over the process
        return Score.broken(f"{metric.name} raised {type(error).__name__}: {error}")
    if not isinstance(score, Score):
        return Score.broken(f"{metric.name} returned {type(score).__name__}, not a Score")
    if not isinstance(score.value, int | float) or not 0 <= score.value <= 1:
        return Score.broken(f"{metric.name} gave the value {score.value!r}, which is not from 0 to 1")
    return score


@cache
def _dimensions() -> list[tuple[str, VerdictMetric]]:
    found = [(name, resolve_metric(name)) for name in DIMENSIONS]
    return [(name, metric) for name, metric in found if isinstance(metric, VerdictMetric)]
