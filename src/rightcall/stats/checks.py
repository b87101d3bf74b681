"""Argument checks: nonsensical arguments raise an error instead of a NaN three calls later."""

from __future__ import annotations

from rightcall.errors import InputError


def require_counts(where: str, x: float, n: float) -> None:
    """`x` of `n`: neither negative, and not more than all."""
    if not (n >= 0 and 0 <= x <= n):
        raise InputError(where, f"the count must lie between 0 and n, got {x} of {n}")


def require_share(where: str, name: str, value: float) -> None:
    """Strictly between 0 and 1, as a confidence, an error rate or a threshold must be."""
    if not 0 < value < 1:
        raise InputError(where, f"{name} must lie strictly between 0 and 1, got {value}")


def require_order(where: str, lower: float, upper: float) -> None:
    """`min` and `target`: both shares, and the second above the first."""
    require_share(where, "min", lower)
    require_share(where, "target", upper)
    if lower >= upper:
        raise InputError(where, f"target must be above min, got min {lower} and target {upper}")
