"""Scoring keeps the time of its case."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.metrics.case_result import result_of
from rightcall.metrics.score_case import MANY_CALLS, Scorer, score_in_time, time_to_score
from rightcall.records.call import ToolCall
from rightcall.records.case import TestCase
from rightcall.records.golden import Golden
from rightcall.records.score import Score
from rightcall.records.trajectory import Trajectory

GOLDEN = Golden("q", id="g")
MANY = Trajectory(calls=(ToolCall("f"),) * MANY_CALLS)


@dataclass(frozen=True)
class Endless(Metric):
    """Waits for a model that never answers."""

    async def measure(self, case: TestCase) -> Score:
        await asyncio.sleep(3600)
        return Score(1.0, True)


def test_a_metric_that_never_ends_is_broken_and_not_waited_for():
    result = asyncio.run(Scorer([Endless()]).result(GOLDEN, 0, Trajectory(), {}, left=0.01))
    assert not result.passed
    assert "endless: took longer than 0" in result.error


def test_judging_that_takes_too_long_is_an_error_of_the_case():
    ended = threading.Event()

    def judge(trajectory: Trajectory):
        if trajectory is MANY:
            ended.wait(300)
        return result_of(GOLDEN, 0, trajectory, {})

    async def judged():
        result = await score_in_time(judge, MANY, 0.01)
        ended.set()
        return result

    result = asyncio.run(judged())
    assert not result.passed
    assert result.error == f"scoring {MANY_CALLS} calls took longer than the remaining 0.01 seconds"


def test_scoring_has_what_the_case_has_left_and_never_less_than_a_second():
    assert time_to_score(10, Trajectory(latency_ms=4000)) == 6
    assert time_to_score(10, Trajectory(latency_ms=9999)) == 1
    assert time_to_score(None, Trajectory()) is None
