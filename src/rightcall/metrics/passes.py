"""Pass rates over goldens, in nine bytes per trial.

A golden is remembered by the hash of its id.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rightcall.records.run import CaseResult, Rate
from rightcall.stats.power import pass_hat_k


class Passes:
    """The trials of a group of goldens, grouped by a hash of the golden's id."""

    __slots__ = ("_marks", "_names", "_repeated", "passed")

    def __init__(self) -> None:
        self._names = array("q")
        self._marks = bytearray()
        self._repeated = False
        self.passed = 0

    def __len__(self) -> int:
        return len(self._marks)

    def add(self, result: CaseResult) -> None:
        name = hash(result.golden_id)
        passed = result.passed
        self._names.append(name)
        self._marks.append(passed)
        if passed:
            self.passed += 1
        if result.trial:
            self._repeated = True

    def extend(self, other: Passes) -> None:
        self._names.extend(other._names)
        self._marks.extend(other._marks)
        self._repeated = self._repeated or other._repeated
        self.passed += other.passed

    def rate(self) -> Rate | None:
        """The mean over goldens."""
        n = len(self)
        if not n:
            return None
        if not self._repeated:
            return Rate(self.passed / n, n, n)
        shares = [math.fsum(trials) / len(trials) for _, trials in self._goldens()]
        return Rate(math.fsum(shares) / len(shares), len(shares), n)

    def pass_k(self, most: int) -> tuple[float, ...]:
        """pass^1, pass^2, … over the goldens with that many trials; empty when none was tried twice."""
        if not self._repeated:
            return ()
        counts = Counter((len(trials), int(sum(trials))) for _, trials in self._goldens())
        pass_rates: list[float] = []
        for k in range(1, most + 1):
            estimates = [(pass_hat_k(n, c, k), goldens) for (n, c), goldens in sorted(counts.items())]
            tried = [(value, goldens) for value, goldens in estimates if value is not None]
            if not tried:
                break
            total = sum(goldens for _, goldens in tried)
            pass_rates.append(math.fsum(value * goldens for value, goldens in tried) / total)
        return tuple(pass_rates)

    def _goldens(self) -> Iterator[tuple[int, tuple[float, ...]]]:
        for name, marks in groupby(self._marks_in_order(), key=lambda trial: trial >> 1):
            yield name, tuple(float(mark & 1) for mark in marks)

    def _marks_in_order(self) -> list[int]:
        """A name and its mark as one number: a million of them sorted take half the memory of pairs."""
        return sorted(name << 1 | mark for name, mark in zip(self._names, self._marks, strict=True))
