"""How much a harmless change moved the score."""

from __future__ import annotations

from rightcall.model.record import Record


class PositionRate(Record, frozen=True):
    """The pass rate of goldens whose tool stands at a place of the list of tools, counted from 1."""

    first: int
    last: int
    goldens: int
    rate: float


class PerturbEffect(Record, frozen=True):
    """One kind of perturbation against the clean run, golden by golden.

    `flips` is the share of goldens whose verdict changed, less what a second clean run changes. The verdict is STABLE
    when the whole interval is within five points, FRAGILE when the score falls beyond noise, else not shown. `mde` is
    the smallest difference that would likely have been seen. `positions` are those of `order`.
    """

    kind: str
    goldens: int
    clean: float
    perturbed: float
    difference: float
    low: float | None
    high: float | None
    p: float
    flips: float
    verdict: str = ""
    p_adjusted: float = 1.0
    mde: float | None = None
    positions: tuple[PositionRate, ...] = ()
    runs: tuple[str, ...] = ()
