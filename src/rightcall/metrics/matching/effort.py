"""How much work scoring a case may take.

A reply can contain thousands of calls, and some alignments cost the square of their number or more. Whatever does such
work counts its steps here, wherever it is called from, so that one limit covers a whole case.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
