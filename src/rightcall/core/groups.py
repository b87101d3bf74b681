"""Things put together: by what they have in common, or by what leads to them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def group_by(things: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The things by their key, keys and things in the order in which they come."""
    groups: dict[K, list[T]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


def reachable(starts: Iterable[K], neighbours: Callable[[K], Iterable[K]]) -> set[K]:
    """The starts, and everything that neighbours lead to from there."""
    reached: set[K] = set()
    waiting = list(starts)
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting.extend(neighbours(here))
    return reached
