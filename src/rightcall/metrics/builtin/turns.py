"""The metric `turns`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import CallMetric
from rightcall.metrics.matching.case_score import score_calls
from rightcall.metrics.matching.reasons import reason
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class Turns(CallMetric):
    """The share of a conversation's turns in which the agent called what that turn expects.

    An agent may make every call of a conversation and still make one of them a turn too early. It is measured for every
    conversation, and its reason names the first turn that went wrong. A golden of one turn is one turn.

    Golden: {"input": "Where is A-7?", "expected_calls": [{"tool": "find_order", "args": {"id": "A-7"}}]}
    Fails: []
    Passes: [{"name": "find_order", "arguments": {"id": "A-7"}}]
    """

    def measure(self, case: TestCase) -> Score:
        verdict = score_calls(case.golden, case.trajectory, case.tools)
        return Score.passed_if(verdict.passed, reason(verdict.failures))
