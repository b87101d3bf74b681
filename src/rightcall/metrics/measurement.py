"""Measures a case with the requested metrics, each within its time; what breaks gives an error, never an exception.

Metrics of others that are plain functions run in threads, so that one that blocks neither passes nor stops the rest.
Built-in ones are trusted to be fast and run where they are called.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

from msgspec.structs import replace

from rightcall.core.errors import CodeExit, contain_exits
from rightcall.core.event_loop.worker_threads import in_thread
from rightcall.metrics.base import Metric, UserMetric, asks_model
from rightcall.records.case import AnyTestCase
from rightcall.records.failure import Code, Failure
from rightcall.records.score import Judging, Score

METRIC_SECONDS = 300.0
"""Time limit of a metric for one case, in seconds."""

MOST_STUCK = 32
"""Threads in which a metric may be stuck at once: a thread cannot be ended."""

ONE_VOTE = Judging(1, True)
"""What is known of how a metric of others came to its score."""

CODES = frozenset(get_args(Code))
_counting = threading.Lock()
_stuck: Counter[str] = Counter()
"""How many threads are still busy with a metric that took too long, by its name."""


async def measure_all(
    metrics: Sequence[Metric], case: AnyTestCase, seconds: float = METRIC_SECONDS
) -> dict[str, Score]:
    """The score of each metric, in their order. Those that may take time are measured concurrently."""
    scores = {metric.name: measure_now(metric, case) for metric in metrics if is_quick(metric)}
    slow = [metric for metric in metrics if not is_quick(metric)]
    if len(slow) == 1:
        scores[slow[0].name] = await measure_one(slow[0], case, seconds)
    elif slow:
        import asyncio

        measured = await asyncio.gather(*(measure_one(metric, case, seconds) for metric in slow))
        scores |= {metric.name: score for metric, score in zip(slow, measured, strict=True)}
    return {metric.name: scores[metric.name] for metric in metrics}


def measure_now(metric: Metric, case: AnyTestCase) -> Score:
    try:
        return _valid(_measure_now(metric, case))
    except Exception as error:
        return Score.broken(f"raised {type(error).__name__}: {error}")


async def measure_one(metric: Metric, case: AnyTestCase, seconds: float = METRIC_SECONDS) -> Score:
    """The score of a metric; an error score if it raises, takes too long or returns something invalid."""
    if is_quick(metric):
        return measure_now(metric, case)
    if _stuck[metric.name] >= MOST_STUCK:
        return Score.broken(
            f"is not started again: in {_stuck[metric.name]} earlier cases it has not ended yet"
        )
    import asyncio  # only these metrics need it, and importing it costs as much as scoring 2,000 cases

    begun = time.monotonic()
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            with contain_exits():  # a metric must not end the process
                score = await _result(metric, case)
    except Exception as error:
        if limit.expired():
            return _too_late(seconds)
        cause = error.__cause__ if isinstance(error, CodeExit) and error.__cause__ else error
        return Score.broken(f"raised {type(cause).__name__}: {cause}")
    if time.monotonic() - begun > seconds:  # it blocked, so that it could not be stopped
        return _too_late(seconds)
    return _mark_judged(metric, _valid(score))


def is_quick(metric: Metric) -> bool:
    """Whether a metric is one of ours that asks no model: it computes what it returns in microseconds."""
    ours = type(metric).__module__.startswith("rightcall.metrics.") and not isinstance(metric, UserMetric)
    return ours and not inspect.iscoroutinefunction(metric.measure)


def missing_evidence(metric: Metric, case: AnyTestCase) -> str:
    """Why a metric has nothing to check in a case; empty when it has."""
    nothing = getattr(metric, "nothing_to_check", None)  # a metric may be any object with `measure`
    why = nothing(case) if nothing is not None else ""
    return f"nothing to check: {why}" if why else ""


async def _result(metric: Metric, case: AnyTestCase) -> Any:
    """What a metric returns: awaited, or computed in a thread."""
    import asyncio

    function = metric.function if isinstance(metric, UserMetric) else metric.measure
    if inspect.iscoroutinefunction(function):
        score = _measure_now(metric, case)
    else:
        try:
            score = await in_thread(
                partial(_measure_now, metric, case),
                when_late=lambda result, failure: _count_stuck(metric.name, -1),
            )
        except asyncio.CancelledError:
            _count_stuck(metric.name, 1)
            raise
    return await score if inspect.isawaitable(score) else score


def _measure_now(metric: Metric, case: AnyTestCase) -> Any:
    missing = missing_evidence(metric, case)
    if missing:
        return Score.broken(missing)
    return metric.measure(case)  # type: ignore[arg-type]  # `score_case.measure_metrics` chooses the kind of case


def _count_stuck(name: str, more: int) -> None:
    with _counting:
        _stuck[name] += more


def _too_late(seconds: float) -> Score:
    return Score.broken(f"took longer than {seconds:g} s")


def _mark_judged(metric: Metric, score: Score) -> Score:
    """The score, marked as judged if a metric of others asks a model; ours mark theirs with the votes."""
    if score.judged is not None or score.error or hasattr(metric, "form") or not asks_model(metric):
        return score
    return replace(score, judged=ONE_VOTE)


def _valid(score: Any) -> Score:
    problem = _problem(score)
    return Score.broken(problem) if problem else score


def _problem(score: Any) -> str:
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
