"""The metric `final_state`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.model.case import TestCase
from rightcall.model.failure import Failure
from rightcall.model.score import Score
from rightcall.tools.worlds.state import state_faults


@dataclass(frozen=True)
class FinalState(Metric):
    """Whether the world ends in the expected state, with no other changes.

    The golden's `expected_state` gives the required values; everything it does not mention must be unchanged. A golden
    without one is an error. The state is that of the simulated worlds the tools worked in. It is measured, and decides,
    for every golden with an `expected_state`.

    Golden: {"input": "Send 5 euros to Bob", "expected_state": {"bank": {"bob": 500}}}
    Fails: {"state_before": {"bank": {"an": 900, "bob": 0}}, "state": {"bank": {"an": 400, "bob": 0}}}
    Passes: {"state_before": {"bank": {"an": 900, "bob": 0}}, "state": {"bank": {"an": 900, "bob": 500}}}
    """

    def nothing_to_check(self, case: TestCase) -> str:
        return "the golden has no expected_state" if case.golden.expected_state is None else ""

    def measure(self, case: TestCase) -> Score:
        expected, trajectory = case.golden.expected_state, case.trajectory
        if expected is None:
            return Score.broken(self.nothing_to_check(case))
        if trajectory.state is None:
            return Score.broken("the golden has an expected_state, but the run had no world")
        faults = state_faults(trajectory.state_before or {}, trajectory.state, expected)
        if not faults:
            return Score(1.0, True)
        codes = tuple(Failure("wrong_state", d.path, "", d.expected, d.actual, d.kind) for d in faults[:20])
        return Score(0.0, False, "; ".join(str(difference) for difference in faults[:5]), codes)
