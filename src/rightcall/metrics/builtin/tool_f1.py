"""The metric `tool_f1`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.model.failure import CALL_CODES


@dataclass(frozen=True)
class ToolF1(VerdictMetric):
    """Harmonic mean of tool precision and tool recall.

    The usual single number for tool selection. Repeats count: calling a tool twice that was expected once is not
    perfect.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "send_email", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    number = "tool_f1"
    codes = CALL_CODES
