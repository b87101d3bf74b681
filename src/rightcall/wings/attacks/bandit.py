"""A Thompson bandit over the ways to plant an attack: Beta(1, 1) for each arm, what was seen shared by all tasks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from rightcall.model.record import Record
from rightcall.model.safety import Carrier, Placement, Template, Wrap


class AttackArm(Record, frozen=True, order=True):
    """A way to plant an attack, whatever the task and the goal."""

    carrier: Carrier
    template: Template
    place: Placement = "end"
    wrap: Wrap = "plain"

    @property
    def name(self) -> str:
        return f"{self.carrier} · {self.template} · {self.place} · {self.wrap}"


class Bandit:
    """Draws arms in proportion to the chance that they are the best. The same seed and answers give the same draws."""

    def __init__(self, seed: int) -> None:
        self._draws = random.Random(f"adaptive/{seed}")  # noqa: S311
        self._hits: Counter[AttackArm] = Counter()
        self._misses: Counter[AttackArm] = Counter()

    def choose(self, arms: Iterable[AttackArm]) -> AttackArm:
        """The arm with the highest draw of its posterior."""
        draws = [
            (self._draws.betavariate(1 + self._hits[arm], 1 + self._misses[arm]), arm) for arm in sorted(arms)
        ]
        return max(draws)[1]

    def learn(self, arm: AttackArm, *, hit: bool) -> None:
        (self._hits if hit else self._misses)[arm] += 1
