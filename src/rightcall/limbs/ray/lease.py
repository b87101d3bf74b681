"""Who has which cells: leases, their size, and what happens to the cells of a lost worker. No I/O.

A cell is in exactly one state: not drawn yet, waiting, suspect, out in one lease, or settled. Cells of a lost worker
are suspects: one of them may have ended its process. They go out again in halves, each to a worker that has nothing
else, until the cause is alone; if its process ends twice, it is given up.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import msgspec

from rightcall.run.backend import Cell
from rightcall.store.base import Key

LARGEST_LEASE = 512
SLOW_SECONDS = 5.0
"""Cases longer than this are leased no more than fit at once: a lost worker would cost too much."""

DEADLY = 2
"""How often a cell must be alone when its worker ends, to be blamed for it."""


class Lease(msgspec.Struct):
    """Cells that a worker has and that have no result yet, of all those in their `places`.

    `alone`: it is the only lease of its worker.
    """

    number: int
    worker: int
    cells: dict[Key, Cell]
    places: tuple[Key, ...] = ()
    alone: bool = False
    deaths: int = 0


class LostCells(msgspec.Struct, frozen=True):
    """The cells of a lost worker: how many are run again, and those that are given up."""

    again: int
    condemned: tuple[Cell, ...] = ()


class LeaseLedger:
    """Tracks cells that are out, waiting and left. Holds only those that are out, whatever the size of the dataset."""

    def __init__(self, jobs: Iterator[Cell]) -> None:
        self._jobs = jobs
        self._drawn_out = False
        self._waiting: deque[Cell] = deque()
        self._suspects: deque[tuple[list[Cell], int]] = deque()
        self._out: dict[int, Lease] = {}
        self._number = 0
        self.stopped = False

    @property
    def out(self) -> int:
        """Cells that workers have."""
        return sum(len(lease.cells) for lease in self._out.values())

    @property
    def finished(self) -> bool:
        """Whether nothing is out and nothing will be handed out."""
        nothing_left = self._drawn_out and not self._waiting and not self._suspects
        return not self._out and (self.stopped or nothing_left)

    def stop(self) -> None:
        self.stopped = True

    def leases_of(self, worker: int) -> list[Lease]:
        return [lease for lease in self._out.values() if lease.worker == worker]

    def hand_out(self, worker: int, size: int, most: int | None = None) -> Lease | None:
        """The next lease for this worker, of no more than `most` cells; None when there is none for it now."""
        has = self.leases_of(worker)
        size = size if most is None else min(size, most)
        if self.stopped or size < 1 or any(lease.alone for lease in has):
            return None
        if self._suspects and not has and (most is None or len(self._suspects[0][0]) <= most):
            cells, deaths = self._suspects.popleft()
            return self._lease(worker, cells, alone=True, deaths=deaths)
        cells = [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]
        if len(cells) < size and not self._drawn_out:
            drawn = list(islice(self._jobs, size - len(cells)))
            self._drawn_out = len(drawn) < size - len(cells)
            cells += drawn
        return self._lease(worker, cells) if cells else None

    def settle(self, lease: int, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Note results of a lease; returns the cells that count. A result of a lease that was lost does not."""
        if lease not in self._out:
            return {}
        cells = self._out[lease].cells
        return {key: cells.pop(key) for key in keys if key in cells}

    def end(self, lease: int) -> None:
        """The worker is done with a lease; cells it has not begun wait for another one."""
        if lease in self._out:
            self._waiting.extendleft(reversed(self._out.pop(lease).cells.values()))

    def lose(self, worker: int) -> LostCells:
        """The worker is lost, with all its leases."""
        leases = self.leases_of(worker)
        for lease in leases:
            del self._out[lease.number]
        cells = list(chain.from_iterable(lease.cells.values() for lease in leases))
        alone = len(cells) == 1 and leases[0].alone
        deaths = leases[0].deaths + 1 if alone else 0
        if deaths >= DEADLY:
            return LostCells(0, tuple(cells))
        middle = math.ceil(len(cells) / 2)
        self._suspects.extend((half, deaths) for half in (cells[:middle], cells[middle:]) if half)
        return LostCells(len(cells))

    def _lease(self, worker: int, cells: list[Cell], *, alone: bool = False, deaths: int = 0) -> Lease:
        self._number += 1
        by_key = {(golden.id, trial): (golden, trial) for golden, trial in cells}
        lease = Lease(self._number, worker, by_key, tuple(by_key), alone=alone, deaths=deaths)
        self._out[lease.number] = lease
        return lease


def lease_size(
    *, rate: float, at_once: int, seconds: float, left: int, workers: int, cautious: bool = False
) -> int:
    """How many cells a worker gets: what it does in `seconds`, at `rate` cells a second.

    At least what it does at once, so that its pool stays full; exactly that while nothing is known, and when
    `cautious`, because a run that may stop early, or whose cases are slow, must not hand out more than it needs. Near
    the end the rest is shared out, so that the last worker does not keep the others waiting.
    """
    slow = rate > 0 and at_once / rate > SLOW_SECONDS
    size = at_once if cautious or slow or rate <= 0 else min(LARGEST_LEASE, round(rate * seconds))
    fair = math.ceil(left / (2 * max(1, workers)))
    return max(1, min(max(size, at_once), fair))


def shares(whole: int, workers: int) -> list[int]:
    """The total split as evenly as possible: never more than the total, never 0 for an active worker."""
    if workers <= 0:
        return []
    share, more = divmod(whole, workers)
    return [share + (number < more) for number in range(workers)]
