"""Metrics of the choice of tools: `tools_selected`, `tools_avoided`, `tool_selection`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rightcall.metrics.base import CallMetric, VerdictMetric, require_threshold
from rightcall.metrics.matching.expectation import forbids
from rightcall.metrics.matching.handoffs import read_team
from rightcall.metrics.matching.kinds import calls_to_judge
from rightcall.metrics.matching.verdict import CaseVerdict, forbids_all
from rightcall.model.case import TestCase
from rightcall.model.failure import CALL_CODES
from rightcall.model.golden import names_agents
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


@dataclass(frozen=True)
class ToolsAvoided(CallMetric):
    """Whether no forbidden tool was called.

    The second single-turn evaluator. A negative golden, or one with `no_calls`, that names no tool forbids all tools.

    Golden: {"input": "Log me out", "category": "negative", "forbidden_calls": ["delete_account"]}
    Fails: [{"name": "delete_account", "arguments": {}}]
    Passes: [{"name": "log_out", "arguments": {}}]
    """

    def measure(self, case: TestCase) -> Score:
        golden = case.golden
        trajectory = case.trajectory if not names_agents(golden) else read_team(golden, case.trajectory)[0]
        calls = calls_to_judge(golden, trajectory, case.tools)
        if forbids_all(golden):
            called = dict.fromkeys(call.name for call in calls)
            return Score.passed_if(not called, f"no tool should have been called; called {', '.join(called)}")
        tests = [forbids(pattern) for pattern in golden.forbidden_calls]
        hit = dict.fromkeys(call.name for call in trajectory.calls if any(test(call) for test in tests))
        return Score.passed_if(not hit, f"forbidden tools were called: {', '.join(hit)}")


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
