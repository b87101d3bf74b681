"""A run and its results in DeepEval's form: `test_results`, `success`, `metrics_data`, the fields of test cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rightcall.api.run_result import RunResult
from rightcall.records.case import AnyTestCase, ConversationalTestCase, TestCase
from rightcall.records.golden import AnyGolden, Golden
from rightcall.records.run import CaseResult
from rightcall.records.score import Score
from rightcall.records.trajectory import Trajectory


@dataclass(frozen=True)
class MetricData:
    """The score of one metric."""

    name: str
    score: float | None
    success: bool
    reason: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class TestResult:
    """One result: `success` and `metrics_data` as in DeepEval, the fields of its test case, and all of `CaseResult`."""

    __test__ = False  # pytest would collect it as a test class

    result: CaseResult
    golden: AnyGolden | None
    metrics_data: tuple[MetricData, ...]
    index: int = 0

    @property
    def name(self) -> str:
        """The golden's name, or else its id."""
        return (self.golden.name if self.golden else None) or self.result.golden_id

    @property
    def success(self) -> bool:
        """Whether the case passed."""
        return self.result.passed

    @property
    def conversational(self) -> bool:
        """Whether it is a conversation."""
        return self.golden is not None and not isinstance(self.golden, Golden)

    @property
    def test_case(self) -> AnyTestCase | None:
        """What was expected, and what the agent did; None when the run was stored without its goldens."""
        if self.golden is None:
            return None
        kind: Any = TestCase if isinstance(self.golden, Golden) else ConversationalTestCase
        case: AnyTestCase = kind(self.golden, self.result.trajectory or Trajectory())
        return case

    def __getattr__(self, name: str) -> Any:
        """A field of the result or of the test case: `metrics`, `score`, `input`, `actual_output`, …"""
        if name.startswith("__"):
            raise AttributeError(name)
        if hasattr(self.result, name):
            return getattr(self.result, name)
        return getattr(self.test_case, name)


def _metric_data(name: str, score: Score) -> MetricData:
    value = None if score.error else score.value
    return MetricData(name, value, score.passed, score.reason or None, error=score.error or None)


class EvaluationResult(RunResult):
    """A run that scored test cases."""

    @property
    def test_results(self) -> list[TestResult]:
        """All results as a list, each with DeepEval's fields (`success`, `metrics_data`, `input`) and its own."""
        goldens = {golden.id: golden for golden in self.store.runs.goldens(self.id)}
        asked = self.summary.named
        return [
            TestResult(
                result,
                goldens.get(result.golden_id),
                tuple(_metric_data(name, result.metrics[name]) for name in asked if name in result.metrics),
                index,
            )
            for index, result in enumerate(self.results)
        ]

    @property
    def test_run_id(self) -> str:
        """DeepEval's name for `id`."""
        return self.id
