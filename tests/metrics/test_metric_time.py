"""A metric that takes too long is an error of its case; it neither passes nor stops the others."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from unittest import mock

import pytest

from rightcall.metrics import measurement, score_case
from rightcall.metrics.base import Metric
from rightcall.metrics.resolve import as_metrics
from rightcall.metrics.score_case import Scorer
from rightcall.records import ExpectedCall, Golden, Score, ToolCall, Trajectory
from tests.support.patience import wait_until

GOLDEN = Golden("?", id="g", expected_calls=(ExpectedCall("a"),))
DONE = Trajectory(calls=(ToolCall("a"),))


@pytest.fixture
def gate():
    """Blocks whoever waits for it until the test has ended."""
    opened = threading.Event()
    yield opened
    opened.set()


def scored(*metrics, seconds: float = 60.0, left: float | None = None):
    with mock.patch.object(score_case, "METRIC_SECONDS", seconds):
        return asyncio.run(Scorer(as_metrics(metrics)).result(GOLDEN, 0, DONE, {}, left))


def good(case):
    return True


def test_a_blocking_function_is_late_and_the_others_are_measured(gate):
    class Blocks(Metric):
        def measure(self, case):
            gate.wait()
            return Score(1.0, True)

    def blocks_too(case):
        return gate.wait() or True

    result = scored(Blocks(), blocks_too, good, seconds=0.5)
    assert not result.passed
    assert result.error == "blocks: took longer than 0.5 s; blocks_too: took longer than 0.5 s"
    assert result.metrics["good"].passed


def test_a_case_that_has_no_time_left_still_gets_its_quick_metrics(gate):
    def blocks(case):
        return gate.wait() or True

    result = scored(blocks, "tool_selection", seconds=10, left=0.05)
    assert "blocks: took longer than 0" in result.error and result.metrics["tool_selection"].passed


def test_a_coroutine_that_blocks_does_not_pass_late():
    async def blocks(case):
        time.sleep(0.05)  # noqa: ASYNC251  what the test is about
        return True

    assert "took longer than 0.01 s" in scored(blocks, seconds=0.01).error


def test_a_metric_that_never_ends_is_not_started_again_for_ever(gate, monkeypatch):
    monkeypatch.setattr(measurement, "MOST_STUCK", 3)
    started = []

    def stuck(case):
        started.append(case)
        return gate.wait() or True

    errors = [scored(stuck, seconds=0.02).error for _ in range(5)]
    assert len(started) == 3 and "is not started again: in 3 earlier cases" in errors[-1]
    gate.set()
    wait_until(lambda: not measurement._stuck["stuck"])  # the threads end, and it may run again
    assert scored(stuck).passed


@pytest.mark.parametrize("problem", ["sys.exit(0)", "1 / 0", "next(iter(()))"])
def test_what_a_function_raises_in_its_thread_is_an_error(problem):
    space = {"sys": sys}
    exec(f"def broken(case):\n    {problem}", space)
    assert "broken: raised" in scored(space["broken"]).error


def test_built_in_metrics_run_where_they_are_called():
    before = threading.active_count()
    assert scored("tool_selection", "argument_match", "redundant_calls").passed
    assert threading.active_count() == before


def test_a_hanging_metric_does_not_keep_the_process_from_ending():
    program = (
        "import threading, rightcall as rc\n"
        "case = rc.TestCase(rc.Golden('?'), rc.Trajectory())\n"
        "from rightcall.metrics.resolve import as_metrics\nfrom rightcall.metrics import score_case\n"
        "import asyncio\n"
        "score_case.METRIC_SECONDS = 0.01\n"
        "scorer = score_case.Scorer(as_metrics([lambda case: threading.Event().wait()]))\n"
        "print(asyncio.run(scorer.result(case.golden, 0, case.trajectory, {})).error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True
    )
    assert "took longer than 0.01 s" in done.stdout
