"""Metrics of DeepEval's form: written for it and run here, and ours with its methods."""

from __future__ import annotations

import pytest

import rightcall as rc
from rightcall.deepeval.test_case import LLMTestCase
from rightcall.metrics.deepeval_form import BaseConversationalMetric, BaseMetric

ANSWER = LLMTestCase(input="Hi", actual_output="Hello there")


class Length(BaseMetric):
    """As in DeepEval's guide: the answer is long enough."""

    def __init__(self, least=5, threshold=0.5):
        self.least = least
        self.threshold = threshold

    def measure(self, test_case):
        self.score = 1.0 if len(test_case.trajectory.output) >= self.least else 0.0
        self.reason = f"{len(test_case.trajectory.output)} characters"
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Length"


class Sync(Length):
    async_mode = False

    async def a_measure(self, test_case):
        raise AssertionError("async_mode is off")


class Bare:
    """Neither base class nor name."""

    def measure(self, test_case):
        self.seen = test_case.golden.input
        return 1.0

    def is_successful(self):
        return self.seen == "Hi"


@pytest.mark.parametrize(
    ("metric", "name", "passed"),
    [
        (Length(), "Length", True),
        (Length(99), "Length", False),
        (Sync(), "Length", True),
        (Bare(), "bare", True),
    ],
)
def test_a_metric_written_for_deepeval_decides(metric, name, passed, tmp_path):
    run = rc.score_cases([ANSWER], [metric], store=tmp_path / "s.db")
    assert run.passed is passed
    assert run.results[0].metrics[name].passed is passed
    assert "score" not in vars(metric)  # a copy was measured


def test_cases_measured_at_once_do_not_share_a_score(tmp_path):
    cases = [LLMTestCase(input=str(n), actual_output="x" * n) for n in range(20)]
    run = rc.score_cases(cases, [Length(10)], store=tmp_path / "s.db")
    reasons = {result.metrics["Length"].reason for result in run.results}
    assert reasons == {f"{n} characters" for n in range(20)}
    assert run.summary.overall.passed == 10


class Broken(Length):
    def measure(self, test_case):
        raise ValueError("no model")


class Silent(Length):
    def measure(self, test_case):
        self.success = True


class Failed(Length):
    def measure(self, test_case):
        self.score = 1.0
        self.success = True
        self.error = "judge unreachable"


@pytest.mark.parametrize(
    ("metric", "error"),
    [(Broken(), "ValueError: no model"), (Silent(), "expected a number"), (Failed(), "judge unreachable")],
)
def test_what_a_metric_cannot_compute_is_an_error(metric, error, tmp_path):
    run = rc.score_cases([ANSWER], [metric], store=tmp_path / "s.db")
    assert run.verdict.word == "ERROR" and error in run.results[0].error


class Greeting(BaseConversationalMetric):
    threshold = 1.0

    def measure(self, test_case):
        self.score = float([turn.content for turn in test_case.turns] == ["Hi", "Hello"])
        return self.score


def test_a_metric_of_conversations_gets_the_conversation(tmp_path):
    case = rc.ConversationalTestCase(
        scenario="Greeting", turns=[rc.Turn("user", "Hi"), rc.Turn("assistant", "Hello")]
    )
    run = rc.score_cases([case], [Greeting()], store=tmp_path / "s.db")
    assert run.passed and run.results[0].metrics["greeting"].value == 1
