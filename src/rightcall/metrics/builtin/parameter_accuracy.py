"""The metric `parameter_accuracy`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import ARGUMENT_CODES, VerdictMetric


@dataclass(frozen=True)
class ParameterAccuracy(VerdictMetric):
    """Mean argument score of the expected calls.

    When tools are chosen rightly and this is low, the parameter descriptions or the schema need work. An expected
    call that found no partner scores 0; order plays no part.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "parameter_accuracy"
    codes = ARGUMENT_CODES
