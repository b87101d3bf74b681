"""A metric's result for a case."""

from __future__ import annotations

from rightcall.records.failure import Failure
from rightcall.records.record import Record
from rightcall.records.safety import AttackOutcome
from rightcall.records.trajectory import Usage


class Judging(Record, frozen=True):
    """How a model came to a score: the verdicts it gave, whether they agree, and what asking it used."""

    votes: int
    unanimous: bool
    usage: Usage = Usage()


class Score(Record, frozen=True):
    """A value in 0..1, whether that passes, and why. `error` is set when the metric itself failed.

    `judged` is set when a model gave it: a guess about what a person would say. `attack` is what an attack did to the
    case, with the score of `resisted`.
    """

    value: float
    passed: bool
    reason: str = ""
    codes: tuple[Failure, ...] = ()
    error: str = ""
    judged: Judging | None = None
    attack: AttackOutcome | None = None

    @classmethod
    def passed_if(cls, condition: bool, reason: str = "") -> Score:
        """1 when the condition holds; otherwise 0 for this reason."""
        return cls(1.0, True) if condition else cls(0.0, False, reason)

    @classmethod
    def graded(cls, value: float, reason: str = "", *, threshold: float = 1.0) -> Score:
        """A value that passes from `threshold` upward."""
        passed = value >= threshold
        return cls(value, passed, "" if passed else reason)

    @classmethod
    def broken(cls, error: str) -> Score:
        """The metric could not be computed; counts as an error, not as a failure of the agent."""
        return cls(0.0, False, "", (), error)


class Note(Record, frozen=True):
    """What a reader of a verdict must know besides its reason: a code for programs, a text for people."""

    code: str
    text: str
