"""The range of a rate as it is shown: a reader who decides by it decides as the rule did."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

MOST_DIGITS = 6
LEAST_STEP = 1e-8
"""What the numeric search for a bound may be off: the p-values decide, and the bounds are where they do."""


def range_text(
    low: float | None, high: float | None, *, word: str, limit: float, fails_below: float | None = None
) -> str:
    """`49–86%`: the range of a rate, from which a reader decides as the rule did; empty without ends.

    The ends are rounded outwards, with as many digits as it takes to stay on their side of the limit. Each end is
    exceeded in at most alpha of all runs.
    """
    if low is None or high is None:
        return ""
    passes_from = Decimal(repr(limit))
    below = Decimal(repr(limit if fails_below is None else fails_below))
    step = Decimal(repr(LEAST_STEP))
    lower = Decimal(repr(low))
    upper = Decimal(repr(high))
    lower = max(lower, passes_from) if word == "PASS" else min(lower, passes_from - step)
    upper = min(upper, below - step) if word == "FAIL" else max(upper, min(below, Decimal(1)))
    for digits in range(MOST_DIGITS + 1):
        unit = Decimal(1).scaleb(-digits)
        least = max(Decimal(0), 100 * lower).quantize(unit, ROUND_FLOOR)
        most = min(Decimal(100), 100 * upper).quantize(unit, ROUND_CEILING)
        if (word != "PASS" or least >= 100 * passes_from) and (word != "FAIL" or most < 100 * below):
            break
    return f"{least}–{most}%"
