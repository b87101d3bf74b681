"""One bug: what was changed in right behaviour so that it is provably wrong, and how much harm it does."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from rightcall.records.record import Record
from rightcall.records.trajectory import Trajectory

Harm = Literal[
    "double_effect",
    "extra_effect",
    "wrong_object",
    "wrong_effect",
    "wrong_tool",
    "missed",
    "wrong_value",
    "order",
    "answer",
]
HARMS: tuple[Harm, ...] = get_args(Harm)
"""Worst first."""


class Change(NamedTuple):
    """What an operator made of right behaviour. `call` is the place of the call it changed; None: not in one call."""

    trajectory: Trajectory
    harm: Harm
    call: int | None = None
    parameter: str = ""
    before: Any = None
    after: Any = None


class Mutant(Record, frozen=True):
    """A trajectory with one bug.

    `id` is stable: it depends on the golden's content, the operator, the place and the new value. `origin` is the
    place of the right behaviour, among those of the golden, that it was made from.
    """

    id: str
    golden_id: str
    operator: str
    harm: Harm
    trajectory: Trajectory
    call: int | None = None
    tool: str = ""
    parameter: str = ""
    before: Any = None
    after: Any = None
    origin: int = 0
