"""Whether the rates of a baseline move from day to day more than chance and the blocks of the week explain.

A quadratic form of the days' standardised residuals z with the kernel φ^|i−j|: the locally most powerful statistic
against a rate that moves slowly (a first-order autoregression), summed over series. Its distribution without a movement
is approximated by a scaled χ² with the same mean and variance (Satterthwaite), and that by Wilson and Hilferty's cube
root. Residuals are limited, so that one burst is not taken for a movement.
"""

from __future__ import annotations

import math
from collections import defaultdict

from rightcall.wings.monitor.baseline import HourCounts, reference_of_hours
from rightcall.wings.monitor.week_blocks import block_cell, blocks_of, cell_of, day_of

PHI = 0.9
LIMIT = 2.5
FEWEST_BAD, FEWEST_DAYS, MOST_DAYS = 5, 5, 60


def movement_p_value(hours: HourCounts, zone: str = "UTC") -> float | None:
    """The probability of days that differ this much if nothing moves; None when too little is known to say."""
    total = mean = variance = 0.0
    for own in hours.values():
        z = day_residuals(own, zone)[-MOST_DAYS:]
        if len(z) >= FEWEST_DAYS:
            form, its_mean, its_variance = _form(z)
            total, mean, variance = total + form, mean + its_mean, variance + its_variance
    if not mean:
        return None
    df = 2 * mean**2 / variance
    cube = (max(0.0, total) / mean) ** (1 / 3)
    deviate = (cube - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))
    return math.erfc(deviate / math.sqrt(2)) / 2


def day_residuals(hours: list[tuple[int, int, float]], zone: str) -> list[float]:
    """For each day its bad sessions, less those expected by block, in standard deviations."""
    reference = reference_of_hours(hours, zone)
    if not FEWEST_BAD <= reference.bad <= reference.n - FEWEST_BAD:
        return []
    block = blocks_of(reference.cells)
    rates = {
        name: bad / n for name in set(block) - {-1} for n, bad in [block_cell(reference.cells, block, name)]
    }
    days: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for hour, n, bad in hours:
        rate = rates.get(block[cell_of(hour, zone)])
        if rate is not None:
            day = days[day_of(hour, zone)]
            day[0] += bad - n * rate
            day[1] += n * rate * (1 - rate)
    z = [rest / math.sqrt(spread) for _, (rest, spread) in sorted(days.items()) if spread > 0]
    return [max(-LIMIT, min(LIMIT, value)) for value in z]


def _form(z: list[float]) -> tuple[float, float, float]:
    """z'Qz with Q = PKP, K the kernel and P the projection that the fitted rates are; its mean and variance."""
    size = len(z)
    kernel = [[PHI ** abs(i - j) for j in range(size)] for i in range(size)]
    rows = [sum(row) / size for row in kernel]
    whole = sum(rows) / size
    q = [[kernel[i][j] - rows[i] - rows[j] + whole for j in range(size)] for i in range(size)]
    form = sum(z[i] * z[j] * q[i][j] for i in range(size) for j in range(size))
    return form, sum(q[i][i] for i in range(size)), 2 * sum(value**2 for row in q for value in row)
