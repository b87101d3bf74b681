"""The result of `improve`."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.records.record import Record

ImproveOutcome = Literal["accepted", "not_shown", "worse", "nothing_to_try", "too_few"]


class ToolEffect(Record, frozen=True):
    """The effect of a proposal on the goldens of one tool in proof, or on those that expect no call (`no call`)."""

    tool: str
    goldens: int
    before: float
    after: float
    low: float | None = None

    @property
    def difference(self) -> float:
        """Positive when the proposal helped."""
        return self.after - self.before


class Tried(Record, frozen=True):
    """One proposal and its result. Rates are of the goldens it is meant for, in proof.

    `not_shown` are tools of which a loss of ten points cannot be excluded.
    """

    name: str
    why: str
    refused: str = ""
    tune_before: float | None = None
    tune_after: float | None = None
    exposed: int = 0
    before: float | None = None
    after: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    whole: str = ""
    by_tool: tuple[ToolEffect, ...] = ()
    worse_tools: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    tokens: int = 0
    cost_per_1000: float | None = None
    accepted: bool = False


class DangerLeft(Record, frozen=True):
    """Trials with one sort of danger (`model/danger.py`), before and after, and the goldens that still have it.

    With an accepted change both are of proof; otherwise both are of the analysed run, which nothing changed.
    """

    danger: str
    before: int
    after: int
    goldens: tuple[str, ...] = ()


class Improvement(Record, frozen=True):
    """What `improve` found: the proposals, the one accepted, and the patch. No file of the user is changed.

    `cost_usd` is what all of it cost; None when no price is known.
    """

    run: str
    outcome: ImproveOutcome
    sentence: str
    tried: tuple[Tried, ...] = ()
    patch: str = ""
    edits: tuple[dict[str, Any], ...] = ()
    tune: int = 0
    proof: int = 0
    alpha: float = 0.05
    proofs: int = 1
    set_aside: tuple[str, ...] = ()
    calls: int = 0
    proven: bool = True
    cost_usd: float | None = None
    danger: tuple[DangerLeft, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 accepted, 1 worse, 3 not proven."""
        return {"accepted": 0, "worse": 1}.get(self.outcome, 3)
