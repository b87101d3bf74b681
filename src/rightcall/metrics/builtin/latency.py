"""The metric `latency`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.metrics.matching.case_numbers import latency_in_doubt
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class Latency(VerdictMetric):
    """Whether the agent stayed within the golden's time budget.

    1 within `max_latency_ms`, otherwise budget / time taken; 1 without a budget. A budget without a measured time makes
    the case an error, as does a budget between `latency_ms - lag_ms` and `latency_ms`: the machine was too busy to
    measure.

    Golden: {"input": "Weather in Hanoi?", "max_latency_ms": 1000}
    Fails: {"latency_ms": 4000}
    Passes: {"latency_ms": 900}
    """

    number = "latency"
    codes = frozenset(("over_latency",))

    def nothing_to_check(self, case: TestCase) -> str:
        return "the golden has no max_latency_ms" if case.golden.max_latency_ms is None else ""

    def measure(self, case: TestCase) -> Score:
        doubt = latency_in_doubt(case.golden, case.trajectory)
        return Score.broken(doubt) if doubt else super().measure(case)
