"""Enough agents tried, and next to none passes."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.text import percent
from rightcall.improve.suspect import Reason, SuspectGolden, difference_lines

FEWEST, MOST_PASSING = 5, 0.05
FEWEST_IN_WORLD, MOST_PASSING_IN_WORLD = 4, 0.15
"""Final states are reached in many ways, so that a few agents say more."""


def reasons(suspect: SuspectGolden) -> Iterator[Reason]:
    votes = suspect.votes
    fewest, most = (FEWEST_IN_WORLD, MOST_PASSING_IN_WORLD) if votes.in_world else (FEWEST, MOST_PASSING)
    if votes.n >= fewest and votes.passing <= most:
        who = "none" if not votes.passing else percent(votes.passing)
        lines = tuple(difference_lines(suspect.difference)) if votes.agreement else ()
        yield Reason("likely", f"{who} of {votes.n} agents passes", votes.agreement, evidence=lines)
