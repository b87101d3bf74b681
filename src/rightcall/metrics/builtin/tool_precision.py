"""The metric `tool_precision`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.model.failure import CALL_CODES


@dataclass(frozen=True)
class ToolPrecision(VerdictMetric):
    """Share of the calls made whose tool was expected, whatever the arguments.

    Separates choosing tools from filling arguments: if this is low, the model picks wrong tools, so improve names and
    descriptions.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_forecast", "arguments": {"city": "Hanoi"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    number = "tool_precision"
    codes = CALL_CODES
