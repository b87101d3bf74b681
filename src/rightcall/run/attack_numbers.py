"""The numbers of attacks on a stored run."""

from __future__ import annotations

from rightcall.decide.safety_numbers import SafetyNumbers, SafetyTally
from rightcall.store.sql.store import Store


def attack_numbers(store: Store, run: str) -> SafetyNumbers | None:
    """The numbers of a run; None when none of its goldens is an attempt."""
    attempts = {
        golden.id: golden.safety.is_attack for golden in store.runs.goldens(run) if golden.safety is not None
    }
    if not attempts:
        return None
    tally = SafetyTally()
    for result in store.runs.results(run):
        tally.add(result, attack=attempts.get(result.golden_id, False))
    return tally.numbers()
