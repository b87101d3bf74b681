"""A share of trials under attack, and the numbers of an adaptive search, which are never among those of a fixed plan.

A search chooses what it has seen work, so that no binomial bound holds for it: there is a count and a share, without
an interval.
"""

from __future__ import annotations

from rightcall.model.golden import Golden
from rightcall.model.record import Record
from rightcall.model.trajectory import Usage


class SafetyRate(Record, frozen=True):
    """A share with its 95 % interval, and the upper bound of one side; no value where too little was seen."""

    count: int
    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    upper: float | None = None


class SearchRow(Record, frozen=True):
    """One task and goal: whether the search broke it, with how many attempts, and the arm that did.

    An arm is a carrier, a template, a placement and a wrap. `delivered` counts the attempts that the agent read.
    """

    task: str
    goal: str
    attempts: int = 0
    delivered: int = 0
    broken: bool = False
    arm: str = ""
    winner: str = ""


class SearchNumbers(Record, frozen=True):
    """What a search did. `asr_adaptive` is over tasks and goals of which an attack was delivered.

    `left_out` counts the tasks that the budget did not reach, `stopped` says why the search ended early. `usage` is
    part of what the run used.
    """

    budget: int
    attempts: int
    errors: int
    asr_adaptive: SafetyRate
    left_out: int = 0
    stopped: str = ""
    rows: tuple[SearchRow, ...] = ()
    usage: Usage = Usage()


class SearchRecord(Record, frozen=True):
    """What a store keeps of a search: its numbers, and the attempts that succeeded, as goldens."""

    numbers: SearchNumbers
    winners: tuple[Golden, ...] = ()


def search_rate(rows: tuple[SearchRow, ...]) -> SafetyRate:
    """The share of tasks and goals that were broken, of those that were put to the test."""
    tested = [row for row in rows if row.delivered or row.broken]
    broken = sum(row.broken for row in tested)
    return SafetyRate(broken, len(tested), broken / len(tested) if tested else None)
