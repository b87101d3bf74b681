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


class _Effort:
    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps


_current: ContextVar[_Effort | None] = ContextVar("effort", default=None)


@contextmanager
def limit_effort(steps: int | None = None) -> Iterator[None]:
    """Let everything inside spend at most this many steps together, `MOST_STEPS` by default."""
    token = _current.set(_Effort(MOST_STEPS if steps is None else steps))
    try:
        yield
    finally:
        _current.reset(token)


def spend(steps: int) -> None:
    """Count work about to be done; raises `TooManyCalls` when the case has had its share."""
    effort = _current.get()
    if effort is not None:
        effort.left -= steps
        if effort.left < 0:
            raise TooManyCalls
