"""The numbers of the attacks in a run."""

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
    numbers = tally.numbers()
    stored = store.runs.get(run).run
    if numbers is not None and stored.summary is not None and stored.summary.stopped_early:
        numbers = numbers.without_rates()
    return numbers
