"""Multiple testing: adjusted p-values, so that luck is not mistaken for a discovery."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values: controls the family-wise error rate.

    p̃_(i) = max_{j≤i} min(1, (m−j+1) p_(j)). Holm, Scandinavian J. Statistics 6 (1979) 65.
    """
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted, worst = [0.0] * len(p), 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, (len(p) - rank) * p[index]))
        adjusted[index] = worst
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg adjusted p-values: controls the false discovery rate.

    p̃_(i) = min_{j≥i} min(1, m p_(j)/j). Benjamini & Hochberg, JRSS B 57 (1995) 289.
    """
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted, least = [0.0] * len(p), 1.0
    for rank in range(len(p), 0, -1):
        index = order[rank - 1]
        least = min(least, p[index] * (len(p) / rank))
        adjusted[index] = least
    return adjusted
