"""The metric `tool_selection`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric, require_threshold
from rightcall.metrics.matching.verdict import CaseVerdict
from rightcall.model.failure import CALL_CODES
from rightcall.model.score import Score


@dataclass(frozen=True)
class ToolSelection(VerdictMetric):
    """How well the selected tools agree with the expected ones: F1 on tool names, repeats counted.

    The third single-turn evaluator, for ambiguous goldens. Passes at `threshold` or above
    (`tool_selection(threshold=0.5)`); without one at 1, and for a secondary golden at the golden's threshold.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather"}]}
    Fails: [{"name": "get_weather", "arguments": {}}, {"name": "get_time", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    threshold: float | None = None

    number = "tool_f1"
    codes = CALL_CODES

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def of(self, verdict: CaseVerdict, sentences: Sequence[str], threshold: float = 1.0) -> Score:
        needed = threshold if self.threshold is None else self.threshold
        return Score.graded(verdict.numbers.tool_f1, self.why(verdict, sentences), threshold=needed)
