"""The metric `tools_avoided`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import CallMetric
from rightcall.metrics.matching.case_score import forbids_all
from rightcall.metrics.matching.expectation import forbids
from rightcall.metrics.matching.handoffs import read_team
from rightcall.metrics.matching.kinds import calls_to_judge
from rightcall.model.case import TestCase
from rightcall.model.golden import names_agents
from rightcall.model.score import Score


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
