"""The result of `improve`."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.model.record import Record

ImproveOutcome = Literal["accepted", "not_shown", "worse", "nothing_to_try", "too_few"]


class Tried(Record, frozen=True):
    """One proposal and its result. Rates are over its target goldens, in proof."""

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
    worse_tools: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    tokens: int = 0
    accepted: bool = False


class Improvement(Record, frozen=True):
    """What `improve` found: the proposals, the one accepted, and the patch. The user's files are not changed."""

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

    @property
    def exit_code(self) -> int:
        """0 accepted, 1 shown worse, 3 not shown."""
        return {"accepted": 0, "worse": 1}.get(self.outcome, 3)
