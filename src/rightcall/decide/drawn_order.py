"""Results in the order that was drawn beforehand, whatever finishes first.

A gate's early stop and the proof of `improve` look at results in such an order: fast goldens cannot bias them, and a
verdict does not depend on concurrency. `check` tries its trials in waves, which it judges in the drawn order itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class DrawnOrder(Generic[K, V]):
    """Holds results back until their turn."""

    def __init__(self, keys: Iterable[K]) -> None:
        self.keys = tuple(keys)
        self._places = {key: place for place, key in enumerate(self.keys)}
        self._waiting: dict[int, V] = {}
        self.used = 0
        """How many were handed out."""

    def __contains__(self, key: K) -> bool:
        return key in self._places

    @property
    def complete(self) -> bool:
        return self.used == len(self.keys)

    def add(self, key: K, value: V) -> Iterator[V]:
        """The results whose turn has come with this one; a reader that stops reading leaves the rest waiting."""
        self._waiting[self._places[key]] = value
        while self.used in self._waiting:
            self.used += 1
            yield self._waiting.pop(self.used - 1)
