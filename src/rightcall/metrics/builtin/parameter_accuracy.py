"""The metric `parameter_accuracy`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.model.failure import ARGUMENT_CODES


@dataclass(frozen=True)
class ParameterAccuracy(VerdictMetric):
    """Mean argument score of the expected calls.

    If the right tools are chosen but this is low, improve the parameter descriptions or the schema. An expected call
    without a partner scores 0; order does not matter.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "parameter_accuracy"
    codes = ARGUMENT_CODES
