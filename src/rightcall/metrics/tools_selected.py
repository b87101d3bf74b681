"""The metric `tools_selected`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import CALL_CODES, VerdictMetric


@dataclass(frozen=True)
class ToolsSelected(VerdictMetric):
    """Whether all expected tools were selected, whatever the arguments and whatever else was called.

    The first of the three single-turn evaluators: offer tools, run none, look at the choice.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather"}]}
    Fails: [{"name": "get_time", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_time", "arguments": {}}]
    """

    number = "tool_recall"
    codes = CALL_CODES
