"""The metric `argument_match`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import CallMetric, without_arguments
from rightcall.metrics.matching.case_score import score_calls
from rightcall.metrics.matching.reasons import reason
from rightcall.model.case import TestCase
from rightcall.model.failure import ARGUMENT_CODES
from rightcall.model.score import Score


@dataclass(frozen=True)
class ArgumentMatch(CallMetric):
    """Whether every call of an expected tool has exactly the expected arguments.

    Ignores missing and extra calls: combine it with `tool_selection` to see which of the two went wrong. The value
    is the parameter accuracy among the calls whose tool was right.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi", "units": "K"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_time", "arguments": {}}]
    """

    def measure(self, case: TestCase) -> Score:
        verdict = score_calls(case.golden, case.trajectory, case.tools)
        wrong = [failure for failure in verdict.failures if failure.code in ARGUMENT_CODES]
        if not wrong:
            return without_arguments(1.0, verdict) if verdict.unknown else Score(1.0, True)
        numbers = verdict.numbers
        value = numbers.parameter_accuracy / numbers.tool_recall if numbers.tool_recall else 0.0
        return Score(min(value, 1.0), False, reason(wrong), tuple(wrong))
