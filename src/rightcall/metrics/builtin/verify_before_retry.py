"""The metric `verify_before_retry`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.reasons import call_text
from rightcall.model.case import TestCase
from rightcall.model.failure import Failure
from rightcall.model.score import Score
from rightcall.tools.faults.measures import blind_retries, check_share


@dataclass(frozen=True)
class VerifyBeforeRetry(Metric):
    """Share of calls with an unknown outcome after which the agent checked before acting again.

    A write that timed out may have succeeded. Repeating it immediately is a blind retry; reading the state first, or
    repeating it with the same idempotency key, is not. A case without unknown outcomes passes; one whose
    calls have no outcome is an error.

    Golden: {"input": "Send 5 euros to Bob"}
    Fails: [{"name": "transfer", "arguments": {"cents": 500}, "status": "error", "output": {"error": "outcome_unknown", "effect": "unknown"}}, {"name": "transfer", "arguments": {"cents": 500}}]
    Passes: [{"name": "transfer", "arguments": {"cents": 500}, "status": "ok", "output": {"id": "t1"}}]
    """

    def nothing_to_check(self, case: TestCase) -> str:
        calls = case.trajectory.calls
        return "no tool was run" if calls and all(call.status == "not_run" for call in calls) else ""

    def measure(self, case: TestCase) -> Score:
        calls = case.trajectory.calls
        share = check_share(calls, case.tools)
        if share is None or share >= 1.0:
            return Score(1.0, True)
        blind = [calls[at] for at in blind_retries(calls, case.tools)]
        names = ", ".join(dict.fromkeys(call_text(call.name, call.arguments) for call in blind))
        codes = tuple(Failure("retry", tool=call.name, detail="blind retry") for call in blind)
        return Score(share, False, f"repeated without checking whether it had happened: {names}", codes)
