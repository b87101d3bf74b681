"""The numbers of attacks on a stored run."""

from __future__ import annotations

import msgspec

from rightcall.decide.safety_numbers import SafetyNumbers, SafetyTally
from rightcall.run.attack_search import search_of_run
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
    search = search_of_run(store, store.runs.get(run).run)
    if numbers is None or search is None:
        return numbers
    return msgspec.structs.replace(numbers, adaptive=search.numbers)
