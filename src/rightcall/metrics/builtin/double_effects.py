"""The metric `double_effects`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.model.case import TestCase
from rightcall.model.failure import Failure
from rightcall.model.score import Score
from rightcall.tools.faults.measures import double_effects, effects_unrecorded, in_plain_words


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
