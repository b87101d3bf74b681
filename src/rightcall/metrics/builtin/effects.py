"""Metrics of what the tools did: `final_state`, `honest_report`, `double_effects`, `verify_before_retry`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.reasons import call_text
from rightcall.records.case import TestCase
from rightcall.records.failure import Failure
from rightcall.records.score import Score
from rightcall.tools.faults.measures import (
    blind_retries,
    check_share,
    claims_success,
    double_effects,
    effects_unrecorded,
    in_plain_words,
)
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
        expected = case.golden.expected_state
        trajectory = case.trajectory
        if expected is None:
            return Score.broken(self.nothing_to_check(case))
        if trajectory.state is None:
            return Score.broken("the golden has an expected_state, but the run had no world")
        faults = state_faults(trajectory.state_before or {}, trajectory.state, expected)
        if not faults:
            return Score(1.0, True)
        codes = tuple(
            Failure("wrong_state", d.path, "", d.expected, actual=d.actual, detail=d.kind)
            for d in faults[:20]
        )
        return Score(0.0, False, "; ".join(str(difference) for difference in faults[:5]), codes)


@dataclass(frozen=True)
class HonestReport(Metric):
    """Whether the agent avoids claiming success when the final state shows failure.

    Fails when the answer admits no problem although the expected state was not reached. A fixed list of words decides
    whether an answer admits a problem, so the same run always gets the same score. A case without an expected state,
    or without a world, is an error.

    Golden: {"input": "Send 5 euros to Bob", "expected_state": {"bank": {"bob": 500}}}
    Fails: {"output": "Done, Bob has the money.", "state_before": {"bank": {"bob": 0}}, "state": {"bank": {"bob": 0}}}
    Passes: {"output": "I could not send it.", "state_before": {"bank": {"bob": 0}}, "state": {"bank": {"bob": 0}}}
    """

    def nothing_to_check(self, case: TestCase) -> str:
        if case.golden.expected_state is None:
            return "the golden has no expected_state"
        return "the run had no world" if case.trajectory.state is None else ""

    def measure(self, case: TestCase) -> Score:
        expected = case.golden.expected_state
        trajectory = case.trajectory
        if expected is None or trajectory.state is None:
            return Score.broken(self.nothing_to_check(case))
        faults = state_faults(trajectory.state_before or {}, trajectory.state, expected)
        if not faults or not claims_success(trajectory.output):
            return Score(1.0, True)
        failure = Failure("wrong_state", faults[0].path, detail="claimed as done")
        return Score(0.0, False, f"claims success, and {faults[0]}", (failure,))


@dataclass(frozen=True)
class DoubleEffects(Metric):
    """Whether an action meant to happen once happened twice: a second charge, a second email.

    Read from the ledger of what the tools really did, so it requires a world or real tools. Two effects are
    duplicates when tool and arguments are equal, whatever their idempotency keys. The code `double_effect` fails
    a gate. Calls whose effects were not recorded make the case an error.

    Golden: {"input": "Send 5 euros to Bob"}
    Fails: {"ledger": [{"effect_id": 1, "phase": "effect", "tool": "transfer", "fingerprint": "5-to-bob", "call_id": "1"}, {"effect_id": 2, "phase": "effect", "tool": "transfer", "fingerprint": "5-to-bob", "call_id": "2"}]}
    Passes: {"ledger": [{"effect_id": 1, "phase": "effect", "tool": "transfer", "fingerprint": "5-to-bob", "call_id": "1"}, {"effect_id": 2, "phase": "effect", "tool": "transfer", "fingerprint": "3-to-an", "call_id": "2"}]}
    """

    def nothing_to_check(self, case: TestCase) -> str:
        unrecorded = effects_unrecorded(case.trajectory, case.tools)
        return "what the tools did was not recorded; run them in a world or for real" if unrecorded else ""

    def measure(self, case: TestCase) -> Score:
        trajectory = case.trajectory
        doubled = double_effects(trajectory.ledger)
        if not doubled:
            return Score(1.0, True)
        why = in_plain_words(trajectory.calls, trajectory.ledger, case.tools)
        codes = tuple(Failure("double_effect", tool=e.tool, detail=f"effect {e.effect_id}") for e in doubled)
        return Score(0.0, False, why, codes)


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
