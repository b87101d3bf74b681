"""The metric `termination`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.model.case import TestCase
from rightcall.model.failure import Code, Failure
from rightcall.model.score import Score

CODES: dict[str, Code] = {
    "max_turns": "loop_limit",
    "limit": "loop_limit",
    "refused": "refused",
    "agent_error": "agent_error",
}


@dataclass(frozen=True)
class Termination(Metric):
    """Whether a conversation ended as it should, instead of running out of turns or time.

    A conversation that a limit ends was not resolved, however well its calls look. `accept` names the endings that are
    good: the script ended, the user got what they wanted, or was handed over to a human. A trajectory that does
    not record its ending is judged by its stop reason.

    Golden: {"input": "Cancel my order"}
    Fails: {"dialogue": {"ended": "max_turns", "why": "the user spoke 10 times and had more to say"}}
    Passes: {"dialogue": {"ended": "user_stop"}}
    """

    accept: tuple[str, ...] = ("script_end", "user_stop", "transfer", "stopped")

    def measure(self, case: TestCase) -> Score:
        trajectory = case.trajectory
        ended: str = trajectory.stop_reason if trajectory.stop_reason != "done" else "script_end"
        why = trajectory.error
        if trajectory.dialogue is not None:
            ended, why = trajectory.dialogue.ended, trajectory.dialogue.why
        if ended in self.accept:
            return Score(1.0, True)
        code = CODES.get(ended)
        reason = f"it ended by {ended}" + (f": {why}" if why else "")
        return Score(0.0, False, reason, (Failure(code, detail=why),) if code else ())
