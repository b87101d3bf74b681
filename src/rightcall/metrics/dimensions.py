"""Computes the scores of a case: the standard dimensions and the requested metrics."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from operator import attrgetter
from typing import get_args

from rightcall.metrics.base import PERFECT, Metric, VerdictMetric
from rightcall.metrics.matching.fast_path import flawless
from rightcall.metrics.matching.reasons import sentence
from rightcall.metrics.matching.verdict import CaseVerdict, Numbers
from rightcall.metrics.resolve import DIMENSIONS, resolve_metric
from rightcall.model.case import TestCase
from rightcall.model.failure import Code, Failure
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.trajectory import Trajectory

SPOTLESS: dict[str, Score] = dict.fromkeys(DIMENSIONS, PERFECT)
NUMBERED = tuple(name for name in DIMENSIONS if name != "overall")
"""Dimensions that are a number of the verdict under the same name."""
NUMBERS_OF = attrgetter(*NUMBERED)

METRIC_SECONDS = 300.0
"""Time limit of a metric for one case, in seconds."""

CODES = frozenset(get_args(Code))


def dimension_scores(verdict: CaseVerdict) -> dict[str, Score]:
    """The score of each dimension; one shared dict for flawless cases, which are the most common."""
    if verdict is flawless(verdict.numbers.tp):
        return SPOTLESS
    failures = verdict.failures
    if len(failures) == 1 and not verdict.unknown:
        return _for_one_reason(verdict, sentence(failures[0]))
    said = [sentence(failure) for failure in failures]
    return {name: metric.of(verdict, said) for name, metric in _dimensions()}


def _for_one_reason(verdict: CaseVerdict, why: str) -> dict[str, Score]:
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


def no_answer(trajectory: Trajectory) -> str:
    """Why the case says nothing about the agent; empty when it does."""
    if trajectory.stop_reason != "infra_error":
        return ""
    return trajectory.error or "no answer"


async def measure_all(metrics: Sequence[Metric], case: TestCase) -> dict[str, Score]:
    """The score of each metric. A metric that fails gives an error score, never an exception."""
    return {metric.name: await measure_one(metric, case) for metric in metrics}


async def measure_one(metric: Metric, case: TestCase, seconds: float = METRIC_SECONDS) -> Score:
    """The score of a metric; an error score if it raises, times out or returns something invalid."""
    import asyncio  # only requested metrics need it, and importing it costs as much as scoring 2,000 cases

    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            score = metric.measure(case)
            if inspect.isawaitable(score):
                score = await score
    except BaseException as error:  # a metric must not end the process
        if _ends_the_run(error):
            raise
        if limit.expired():
            return Score.broken(f"{metric.name} took longer than {seconds:g} s")
        return Score.broken(f"{metric.name} raised {type(error).__name__}: {error}")
    problem = _problem(score)
    return Score.broken(f"{metric.name} {problem}") if problem else score


def _ends_the_run(error: BaseException) -> bool:
    """Whether the exception is an interruption rather than an error of the metric."""
    import asyncio

    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt)


def _problem(score: object) -> str:
    """Why a metric's return value is not a valid score; empty when it is."""
    if not isinstance(score, Score):
        return f"returned {type(score).__name__}, not a Score"
    if not isinstance(score.value, int | float) or not 0 <= score.value <= 1:
        return f"gave the value {score.value!r}, which is not between 0 and 1"
    if not isinstance(score.passed, bool):
        return f"gave {score.passed!r} for passed, which is not true or false"
    if not isinstance(score.reason, str) or not isinstance(score.error, str):
        return "gave a reason that is not text"
    for failure in score.codes:
        code = getattr(failure, "code", failure)
        if not isinstance(failure, Failure) or code not in CODES:
            return f"gave {code!r} as a code, which is unknown"
    return ""


def is_dimension(metric: Metric) -> bool:
    """Whether a metric is one of those measured for every case."""
    return any(type(metric) is type(known) for _, known in _dimensions())


@cache
def _dimensions() -> list[tuple[str, VerdictMetric]]:
    found = [(name, resolve_metric(name)) for name in DIMENSIONS]
    return [(name, metric) for name, metric in found if isinstance(metric, VerdictMetric)]


MANY_CALLS = 500
"""Number of calls from which scoring takes tenths of a second and runs in a thread."""

LEAST = 1.0
"""Seconds that scoring always gets, even if the case used all its time."""


def time_to_score(seconds: float | None, trajectory: Trajectory) -> float | None:
    """What a case that may take `seconds` has left when its trajectory is known; None without a limit."""
    if seconds is None:
        return None
    return max(LEAST, seconds - (trajectory.latency_ms or 0.0) / 1000)


async def scored_in_time(
    judge: Callable[[Trajectory], CaseResult], trajectory: Trajectory, seconds: float | None
) -> CaseResult:
    """What `judge` makes of the trajectory, or an error when that takes too long. Its work is bounded, so it ends."""
    if len(trajectory.calls) < MANY_CALLS:
        return judge(trajectory)
    import asyncio  # files are scored without it

    try:
        return await asyncio.wait_for(asyncio.to_thread(judge, trajectory), seconds)
    except TimeoutError:
        why = f"scoring {len(trajectory.calls):,} calls took longer than the remaining {seconds:g} seconds"
        return judge(Trajectory(stop_reason="infra_error", error=why))
