"""Alignment of expected calls that refer to each other's results.

What a `ref` accepts depends on which call its expected call is aligned with, so scores depend on the alignment
that is sought. It is found by branch and bound: while the partner of an expected call is open, its references accept
whatever any partner could give. The best alignment for that is an upper bound; where it contradicts itself, the
partners of one expected call are tried in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from rightcall.metrics.matching.alignment import CallComparison, CallPair
from rightcall.metrics.matching.base import Sources, mentions_ref

MOST_TRIALS = 500
MOST_COMPARISONS = 500_000
"""Alignments tried for one case, and calls compared for them; beyond either, the best so far is taken.

Real goldens need one alignment or two.
"""

Solve = Callable[[CallComparison], list[CallPair]]


class Binding:
    """The search for the best alignment in which every reference reads the result of its partner."""

    def __init__(self, table: CallComparison, sources: Sources) -> None:
        self._table = table
        self._sources = sources
        slots = table.slots
        self._slots_of = {
            name: [i for i, s in enumerate(slots) if s.call.id == name] for name in sources.named
        }
        self._referred = list(chain.from_iterable(self._slots_of[name] for name in sorted(self._slots_of)))
        self._reading = [i for i, slot in enumerate(slots) if mentions_ref(slot.call.args)]
        compared = max(1, len(self._reading) * len(table.calls))
        self._most_trials = min(MOST_TRIALS, max(2, MOST_COMPARISONS // compared))
        self._force = float((len(slots) + len(table.calls) + 1) ** 3)

    def best(self, solve: Solve) -> list[CallPair]:
        """The best pairs; the table and the sources are left in the state of these pairs."""
        self._found: list[CallPair] = []
        self._worth = -1.0
        self._trials = 0
        self._search(solve, {})
        self._bind({pair.slot: pair.call for pair in self._found}, everything=True)
        return self._found

    def _search(self, solve: Solve, fixed: Mapping[int, int | None]) -> None:
        if self._worth >= 0 and self._trials >= self._most_trials:
            return
        self._trials += 1
        self._bind(fixed)
        forced = {slot: call for slot, call in fixed.items() if call is not None}
        if not all(self._table.weights[slot][call] for slot, call in forced.items()):
            return
        pairs = self._solve_with(solve, fixed)
        partner = {pair.slot: pair.call for pair in pairs}
        if any(partner.get(slot) != call for slot, call in forced.items()):
            return  # the order does not allow these partners together
        bound = sum(self._table.weights[pair.slot][pair.call] for pair in pairs)
        if bound <= self._worth + 1e-9:
            return
        undecided = [slot for slot in self._referred if slot not in fixed]
        if undecided and not self._is_consistent(pairs):
            self._branch(solve, fixed, undecided[0], partner)
        else:
            self._found = pairs
            self._worth = bound

    def _branch(
        self, solve: Solve, fixed: Mapping[int, int | None], slot: int, partner: Mapping[int, int]
    ) -> None:
        self._bind(fixed)
        likely = partner.get(slot)
        line = self._table.weights[slot]
        others = sorted((c for c, w in enumerate(line) if w and c != likely), key=lambda c: -line[c])
        tried = [likely] if likely is not None else []
        for call in (*tried, *others, None):
            if call not in fixed.values() or call is None:
                self._search(solve, {**fixed, slot: call})

    def _is_consistent(self, pairs: Sequence[CallPair]) -> bool:
        """Whether the pairs are worth as much when references read their partners."""
        self._bind({pair.slot: pair.call for pair in pairs}, everything=True)
        table = self._table
        return all(
            (table.soft[p.slot][p.call], table.strict[p.slot][p.call]) == (p.soft, p.strict) for p in pairs
        )

    def _bind(self, partners: Mapping[int, int | None], *, everything: bool = False) -> None:
        """Let references read these partners; with `everything`, a slot that is not named has none."""
        for name, slots in self._slots_of.items():
            if everything or all(slot in partners for slot in slots):
                calls = (partners.get(slot) for slot in slots)
                self._sources.of[name] = frozenset(call for call in calls if call is not None)
            else:
                self._sources.of.pop(name, None)
        self._table.compare(self._reading)

    def _solve_with(self, solve: Solve, fixed: Mapping[int, int | None]) -> list[CallPair]:
        """The best pairs among those that give fixed slots their partners."""
        weights = self._table.weights
        kept = {slot: weights[slot] for slot in fixed}
        for slot, call in fixed.items():
            line = [0.0] * len(self._table.calls)
            if call is not None:
                line[call] = kept[slot][call] + self._force
            weights[slot] = line
        try:
            return solve(self._table)
        finally:
            for slot, line in kept.items():
                weights[slot] = line
