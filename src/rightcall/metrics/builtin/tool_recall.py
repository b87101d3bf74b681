"""The metric `tool_recall`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.model.failure import CALL_CODES


@dataclass(frozen=True)
class ToolRecall(VerdictMetric):
    """Share of the expected calls whose tool was called, whatever the arguments.

    If this is low, the model abstains or picks another tool.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: []
    Passes: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    number = "tool_recall"
    codes = CALL_CODES
