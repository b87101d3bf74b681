"""The metric `overall`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.metrics.matching.reasons import join_clauses
from rightcall.metrics.matching.verdict import CaseVerdict
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class Overall(VerdictMetric):
    """The score of the case: the weighted mean of its dimensions; passes when the case passes.

    0.3·precision + 0.3·recall + 0.3·parameter accuracy + 0.1·content by default, and 0 when a forbidden call or
    argument occurred. Its reason is the reason of the case.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "score"

    def nothing_to_check(self, case: TestCase) -> str:
        return ""  # it is the case itself

    def of(self, verdict: CaseVerdict, sentences: Sequence[str], threshold: float = 1.0) -> Score:
        if verdict.error:
            return Score.broken(verdict.error)
        return Score(verdict.score, verdict.passed, join_clauses(sentences))
