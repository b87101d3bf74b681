"""The alignment between expected and actual calls, from which every number and explanation follows.

It maximises, in this order: required strict pairs, optional strict pairs, the sum of soft scores of required
pairs, by weights B², B and 1 with B = |E| + |A| + 1. Which solver runs depends on the order constraints:

    none                 assignment, one connected group of tools at a time
    order: strict        weighted longest common subsequence, steps taken whole
    after edges          dynamic programming over sets of expected calls (at most 16)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from rightcall.core.errors import InputError
from rightcall.metrics.matching.assignment import STEPS_OF_A_COMPARISON, TooManyCalls, best_assignment, spend
from rightcall.metrics.matching.expectation import Slot, predecessors
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall

MOST_ORDERED = 16
MOST_COMPARED = 2_000_000
"""Maximum product of expected and actual calls: about two seconds."""


class CallPair(NamedTuple):
    """An expected call (by slot) and the actual call (by position) it is aligned with."""

    slot: int
    call: int
    soft: float
    strict: bool


Weights = list[list[float]]


class CallComparison:
    """Every slot against every call: soft scores, strictness and the weight that alignment maximises."""

    __slots__ = ("calls", "slots", "soft", "strict", "weights")

    def __init__(self, slots: Sequence[Slot], calls: Sequence[ToolCall]) -> None:
        self.slots = slots
        self.calls = calls
        if len(slots) * len(calls) > MOST_COMPARED:
            raise TooManyCalls
        self.soft: Weights = [[]] * len(slots)
        self.strict: list[list[bool]] = [[]] * len(slots)
        self.weights: Weights = [[]] * len(slots)
        self.compare(range(len(slots)))

    def compare(self, rows: Iterable[int]) -> None:
        """Fill these rows, or refill them after their references changed."""
        calls = self.calls
        base = len(self.slots) + len(calls) + 1
        worth = {True: float(base * base), False: float(base)}
        for row in rows:
            spend(STEPS_OF_A_COMPARISON * len(calls))
            slot = self.slots[row]
            soft = [slot.argument_score(c, at) if slot.fits(c.name) else 0.0 for at, c in enumerate(calls)]
            strict = [s == 1.0 and slot.is_strict(c, s) for s, c in zip(soft, calls, strict=True)]
            self.soft[row] = soft
            self.strict[row] = strict
            self.weights[row] = [
                (worth[slot.required] if full else 0.0) + (s if slot.required else 0.0)
                for s, full in zip(soft, strict, strict=True)
            ]

    def pairs(self, chosen: Sequence[tuple[int, int]]) -> list[CallPair]:
        return [CallPair(i, j, self.soft[i][j], self.strict[i][j]) for i, j in sorted(chosen)]


class Alignment(NamedTuple):
    """All calls compared, the best pairs in any order (`free`), and the best in the required order."""

    table: CallComparison
    free: list[CallPair]
    pairs: list[CallPair]


def align(comparison: CallComparison) -> list[CallPair]:
    """The best alignment when order does not matter."""
    return comparison.pairs(assign_by_groups(comparison.weights))


def align_in_order(
    comparison: CallComparison, expected: Sequence[ExpectedCall], chain: bool
) -> list[CallPair]:
    """The best alignment that keeps the order of the chain and every `after` edge."""
    steps = steps_of(comparison.calls)
    if not any(call.after for call in expected):
        return comparison.pairs(chain_alignment(comparison.weights, steps))
    slots = comparison.slots
    if len(slots) > MOST_ORDERED:
        problem = f"'after' can order at most {MOST_ORDERED} expected calls, got {len(slots)}"
        raise InputError("expected_calls", problem, "split the golden, or use order: strict")
    before = predecessors(expected)
    sooner = [_mask(slots, before[slot.index]) for slot in slots]
    earlier = [_mask(slots, set(range(slot.index)) if chain else set()) for slot in slots]
    return comparison.pairs(graph_alignment(comparison.weights, steps, sooner, earlier))


def steps_of(calls: Sequence[ToolCall]) -> list[int]:
    """The step of each call; a call with an unknown step has a separate one."""
    return [at if call.step is None else call.step for at, call in enumerate(calls)]


def assign_by_groups(weights: Weights) -> list[tuple[int, int]]:
    """Assignment within each group of rows and columns that have any weight in common."""
    chosen: list[tuple[int, int]] = []
    for rows, columns in _groups(weights):
        part = [[weights[i][j] for j in columns] for i in rows]
        chosen += [(rows[i], columns[j]) for i, j in best_assignment(part)]
    return chosen


def _groups(weights: Weights) -> list[tuple[list[int], list[int]]]:
    groups: list[tuple[set[int], set[int]]] = []
    for row, line in enumerate(weights):
        columns = {column for column, weight in enumerate(line) if weight}
        if not columns:
            continue
        touching = [group for group in groups if group[1] & columns]
        groups = [group for group in groups if group not in touching]
        rows = {row}.union(*(group[0] for group in touching))
        groups.append((rows, columns.union(*(group[1] for group in touching))))
    return [(sorted(rows), sorted(columns)) for rows, columns in groups]


Chosen = tuple["Chosen", int, int] | None
"""Pairs chosen so far, as a linked list: shared between the states of a dynamic programme."""


def chain_alignment(weights: Weights, steps: Sequence[int]) -> list[tuple[int, int]]:
    """Weighted longest common subsequence of the chain and the steps.

    Calls of one step are concurrent, so within a step any of them may take any of a run of the chain.
    """
    best: list[tuple[float, Chosen]] = [(0.0, None)] * (len(weights) + 1)
    groups = _by_step(steps)
    for group in groups:
        if len(group) == 1:
            best = _one_call(best, weights, group[0])
        else:
            best = _one_step(best, weights, group, only_whole=group is groups[-1])
    return _pair_list(best[-1][1])


def _one_call(best: list[tuple[float, Chosen]], weights: Weights, call: int) -> list[tuple[float, Chosen]]:
    following = [best[0]]
    for row in range(len(weights)):
        value = max(following[row], best[row + 1], key=itemgetter(0))
        with_pair = best[row][0] + weights[row][call]
        if weights[row][call] and with_pair > value[0]:
            value = (with_pair, (best[row][1], row, call))
        following.append(value)
    return following


def _one_step(
    best: list[tuple[float, Chosen]], weights: Weights, group: list[int], *, only_whole: bool
) -> list[tuple[float, Chosen]]:
    following = list(best)
    size = len(weights)
    for first in range(size):
        if first and best[first][0] == best[first - 1][0]:
            continue  # starting one place sooner can do all that this can
        for last in (size,) if only_whole else range(first + 1, size + 1):
            pairs = best_assignment([[weights[i][j] for j in group] for i in range(first, last)])
            value, chosen = best[first]
            for i, j in pairs:
                value = value + weights[first + i][group[j]]
                chosen = (chosen, first + i, group[j])
            if value > following[last][0]:
                following[last] = (value, chosen)
    for row in range(1, len(following)):
        following[row] = max(following[row - 1], following[row], key=itemgetter(0))
    return following


def graph_alignment(
    weights: Weights, steps: Sequence[int], sooner: Sequence[int], earlier: Sequence[int]
) -> list[tuple[int, int]]:
    """Dynamic programming over sets of matched slots, step by step.

    `sooner[i]` is the set (as bits) of slots that must be in a strictly earlier step than slot i; `earlier[i]`
    those that must not be in a later one. A constraint binds only slots that are matched.
    """
    after_me = [_bits(k for k in range(len(sooner)) if sooner[k] >> i & 1) for i in range(len(sooner))]
    not_before_me = [
        _bits(k for k in range(len(earlier)) if earlier[k] >> i & 1) for i in range(len(earlier))
    ]
    states: dict[int, tuple[float, Chosen]] = {0: (0.0, None)}
    for group in _by_step(steps):
        reached = dict(states)
        for mask, (value, chosen) in states.items():
            inside: dict[int, tuple[float, Chosen]] = {0: (value, chosen)}
            for call in group:
                spend(len(inside) * len(weights))
                for added, (sum_, list_) in list(inside.items()):
                    for row, line in enumerate(weights):
                        bit = 1 << row
                        if not line[call] or (mask | added) & bit:
                            continue
                        later = mask & (after_me[row] | not_before_me[row])
                        if later or added & (after_me[row] | sooner[row]):
                            continue
                        candidate = (sum_ + line[call], (list_, row, call))
                        if candidate[0] > inside.get(added | bit, (-1.0, None))[0]:
                            inside[added | bit] = candidate
            for added, state in inside.items():
                if state[0] > reached.get(mask | added, (-1.0, None))[0]:
                    reached[mask | added] = state
        states = reached
    return _pair_list(max(states.values(), key=itemgetter(0))[1])


def _by_step(steps: Sequence[int]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for call, step in enumerate(steps):
        groups.setdefault(step, []).append(call)
    return [groups[step] for step in sorted(groups)]


def _pair_list(chosen: Chosen) -> list[tuple[int, int]]:
    pairs = []
    while chosen is not None:
        chosen, row, call = chosen
        pairs.append((row, call))
    return pairs


def _mask(slots: Sequence[Slot], calls: set[int]) -> int:
    return _bits(i for i, slot in enumerate(slots) if slot.index in calls)


def _bits(positions: object) -> int:
    return sum(1 << position for position in positions)  # type: ignore[attr-defined]
