"""The best one-to-one assignment, by the Hungarian method, and how much such work a case may take.

A reply can contain thousands of calls, and some alignments cost the square of their number or more. Whatever does such
work counts its steps here, wherever it is called from, so that one limit covers a whole case.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from heapq import nlargest
from itertools import chain

MOST_STEPS = 25_000_000
"""Steps of aligning that a case may take: about five seconds."""


STEPS_OF_A_COMPARISON = 5
"""The cost of comparing one value or call with one expectation, in steps."""


class TooManyCalls(Exception):  # noqa: N818  caused by the agent: becomes a verdict, never seen by a user
    """Too many calls to align within the limit for scoring a case."""


_current: ContextVar[list[int] | None] = ContextVar("effort", default=None)
"""How many steps are left, as a list of one number that everything inside counts down."""


@contextmanager
def limit_effort(steps: int | None = None) -> Iterator[None]:
    """Let everything inside spend at most this many steps together, `MOST_STEPS` by default."""
    token = _current.set([MOST_STEPS if steps is None else steps])
    try:
        yield
    finally:
        _current.reset(token)


def spend(steps: int) -> None:
    """Count work about to be done; raises `TooManyCalls` when the case has had its share."""
    left = _current.get()
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooManyCalls


MANY_COLUMNS = 200
"""From this size on, columns that cannot matter are skipped; a model can make ten thousand calls at once."""


def best_assignment(weights: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column), each used at most once, with the greatest sum of weights.

    Weights are not negative, and pairs of weight 0 are left out. O(n²m) for n rows and m ≥ n columns.
    """
    if not weights or not weights[0]:
        return []
    spend(len(weights) * len(weights[0]))
    if len(weights) == 1:
        row = weights[0]
        best = max(range(len(row)), key=row.__getitem__)
        return [(0, best)] if row[best] > 0 else []
    if len(weights) > len(weights[0]):
        turned = [list(column) for column in zip(*weights, strict=True)]
        return sorted((i, j) for j, i in best_assignment(turned))
    if len(weights[0]) > MANY_COLUMNS and len(weights[0]) > len(weights) ** 2:
        return _among_the_best(weights)
    quick = _each_its_best(weights)
    if quick is not None:
        return quick
    owner = _hungarian(weights)
    return sorted((i, j) for j, i in enumerate(owner) if i >= 0 and weights[i][j] > 0)


def _among_the_best(weights: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The same with only as many columns of each row as there are rows, its greatest.

    An assignment that gives a row another column leaves one of those free, and is worth no more.
    """
    rows = len(weights)
    kept = sorted(
        set(chain.from_iterable(nlargest(rows, range(len(row)), key=row.__getitem__) for row in weights))
    )
    return [(i, kept[j]) for i, j in best_assignment([[row[j] for j in kept] for row in weights])]


def _each_its_best(weights: Sequence[Sequence[float]]) -> list[tuple[int, int]] | None:
    """The assignment in which every row has its greatest weight, or None when two rows need one column.

    No assignment can be worth more, and most that scoring meets are of this kind. Rows with a choice go last.
    """
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    choosers: list[tuple[int, float]] = []
    for i, row in enumerate(weights):
        best = max(row)
        if best <= 0:
            continue
        j = row.index(best)
        if row.count(best) > 1:
            choosers.append((i, best))
        elif j in taken:
            return None
        else:
            taken.add(j)
            pairs.append((i, j))
    for i, best in choosers:
        free = [j for j, weight in enumerate(weights[i]) if weight == best and j not in taken]
        if not free:
            return None
        taken.add(free[0])
        pairs.append((i, free[0]))
    return sorted(pairs)


def _hungarian(weights: Sequence[Sequence[float]]) -> list[int]:
    """For each column the row it is given to, or −1. Shortest augmenting paths with potentials, cost = −weight."""
    n = len(weights)
    m = len(weights[0])
    row_potential = [0.0] * (n + 1)
    column_potential = [0.0] * (m + 1)
    owner = [0] * (m + 1)  # rows count from 1 here; column 0 is where each new row starts
    for row in range(1, n + 1):
        owner[0] = row
        column = 0
        slack = [math.inf] * (m + 1)
        came_from = [0] * (m + 1)
        done = [False] * (m + 1)
        while owner[column]:
            spend(m)
            done[column] = True
            here = owner[column]
            step = math.inf
            following = 0
            for j in range(1, m + 1):
                if done[j]:
                    continue
                reduced = -weights[here - 1][j - 1] - row_potential[here] - column_potential[j]
                if reduced < slack[j]:
                    slack[j] = reduced
                    came_from[j] = column
                if slack[j] < step:
                    step = slack[j]
                    following = j
            for j in range(m + 1):
                if done[j]:
                    row_potential[owner[j]] += step
                    column_potential[j] -= step
                else:
                    slack[j] -= step
            column = following
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    return [row - 1 for row in owner[1:]]
