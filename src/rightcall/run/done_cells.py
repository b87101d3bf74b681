"""Which cells of a plan have a result already: one bit each, in the order in which the plan draws them."""

from __future__ import annotations

from itertools import islice

from rightcall.run.plan import Plan
from rightcall.store.sql.store import Store

AT_A_TIME = 500


class DoneCells:
    """A bit for every cell: a run of ten million that is resumed remembers them in a megabyte."""

    def __init__(self) -> None:
        self._bits = bytearray()
        self._places = self.count = 0

    @classmethod
    def of(cls, plan: Plan, store: Store, run: str) -> DoneCells:
        """The cells of a stored run."""
        cells, goldens = cls(), plan.goldens()
        while ids := [golden.id for golden in islice(goldens, AT_A_TIME)]:
            stored = set(store.runs.result_keys(run, ids))
            for golden_id in ids:
                for trial in range(plan.trials):
                    cells._add((golden_id, trial) in stored)
        return cells

    def __getitem__(self, place: int) -> bool:
        return bool(self._bits[place >> 3] >> (place & 7) & 1)

    def _add(self, done: bool) -> None:
        if not self._places & 7:
            self._bits.append(0)
        self._bits[-1] |= done << (self._places & 7)
        self._places += 1
        self.count += done
