"""An independent oracle: try every partial one-to-one map. Only for small sizes."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

from rightcall.metrics.matching.alignment import CallComparison, steps_of
from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.expectation import make_slots
from rightcall.records import Golden, Trajectory


def best_objective(golden: Golden, trajectory: Trajectory) -> tuple[int, int, float]:
    """The greatest (required strict pairs, optional strict pairs, Σ soft of required pairs) under the order."""
    calls = trajectory.calls
    slots = make_slots(golden, golden.expected_calls, calls, {}, Scope(calls=calls))
    table = CallComparison(slots, calls)
    steps = steps_of(calls)
    before = closure(golden)
    best = (0, 0, 0.0)
    for size in range(min(len(slots), len(calls)) + 1):
        for rows in combinations(range(len(slots)), size):
            for columns in permutations(range(len(calls)), size):
                pairs = list(zip(rows, columns, strict=True))
                if legal(pairs, steps, before, golden.order == "strict"):
                    best = max(best, objective(pairs, slots, table))
    return best


def objective(pairs: list[tuple[int, int]], slots: Any, table: CallComparison) -> tuple[int, int, float]:
    strict = [i for i, j in pairs if table.strict[i][j]]
    required = sum(slots[i].required for i in strict)
    soft = sum(table.soft[i][j] for i, j in pairs if slots[i].required)
    return required, len(strict) - required, round(soft, 9)


def legal(pairs: list[tuple[int, int]], steps: list[int], before: dict[int, set[int]], chain: bool) -> bool:
    for i, j in pairs:
        for k, m in pairs:
            if k in before[i] and not steps[m] < steps[j]:
                return False
            if chain and k < i and not steps[m] <= steps[j]:
                return False
    return True


def closure(golden: Golden) -> dict[int, set[int]]:
    ids = {call.id: i for i, call in enumerate(golden.expected_calls) if call.id}
    before: dict[int, set[int]] = {}
    for i, call in enumerate(golden.expected_calls):  # edges lead to earlier positions only
        direct = {ids[name] for name in call.after}
        before[i] = direct.union(*(before[k] for k in direct))
    return before
