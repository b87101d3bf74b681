"""How much a harmless change moved the score."""

from __future__ import annotations

from rightcall.model.record import Record


class PerturbEffect(Record, frozen=True):
    """One kind of perturbation against the clean run, golden by golden.

    `flips` is the share of goldens whose verdict changed, minus what a second clean run changes. The verdict is STABLE
    when the whole interval is within five points, FRAGILE when the score falls beyond noise, otherwise not shown.
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
