"""The metric `tools_selected`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.metrics.matching.verdict import CaseVerdict
from rightcall.model.failure import CALL_CODES
from rightcall.model.score import Score


@dataclass(frozen=True)
class ToolsSelected(VerdictMetric):
    """Whether all expected tools were selected: 1 or 0, whatever the arguments and whatever else was called.

    The first of the three single-turn evaluators: offer tools, run none, check the choice. `tool_recall` gives the
    share that was selected.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather"}]}
    Fails: [{"name": "get_time", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_time", "arguments": {}}]
    """

    number = "tool_recall"
    codes = CALL_CODES

    def of(self, verdict: CaseVerdict, sentences: Sequence[str], threshold: float = 1.0) -> Score:
        return Score.passed_if(verdict.numbers.tool_recall >= 1.0, self.why(verdict, sentences))
