"""New damage in a run: forbidden calls, double effects or wrong states that its baseline did not have."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.gate.outcome import Outcome
from rightcall.model.failure import FATAL


def alarms_of(a: Sequence[Outcome], b: Sequence[Outcome]) -> dict[str, tuple[str, ...]]:
    """By fatal code, the goldens of B that have it where A was scored without it."""
    before = {outcome.golden_id: outcome.codes for outcome in a if outcome.passes}
    found = {
        code: tuple(
            outcome.golden_id
            for outcome in b
            if outcome.codes.get(code) and not before.get(outcome.golden_id, {code: 1}).get(code)
        )
        for code in sorted(FATAL)
    }
    return {code: ids for code, ids in found.items() if ids}
