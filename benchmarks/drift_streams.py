"""Traffic in which nothing changes, though its rates differ by day, hour or chance: what a drift detector must bear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rates = Callable[[np.random.Generator, int, int], Floats]
"""From months and days to the rate of each month, day and hour."""

HOURS = np.arange(24)
OFFICE = (HOURS >= 8) & (HOURS < 18)


@dataclass(frozen=True)
class Stream:
    """Sessions that are bad with a rate by hour; day 0 is a Monday.

    `profile` is the share of a day's sessions in each hour. `burst` sessions of one disturbance a week are bad with
    probability .6; with `straddles`, half of them come an hour later. The baseline lacks weekends with `weekdays_only`.
    """

    name: str
    rates: Rates
    series: int = 7
    profile: Floats | None = None
    burst: int = 0
    straddles: bool = False
    weekdays_only: bool = False


def constant(rate: float) -> Rates:
    return lambda draw, months, days: np.full((months, days, 24), rate)


def weekly(weekday: float, weekend: float) -> Rates:
    def rates(draw: np.random.Generator, months: int, days: int) -> Floats:
        by_day = np.where(np.arange(days) % 7 >= 5, weekend, weekday)
        return np.broadcast_to(by_day[None, :, None], (months, days, 24)).copy()

    return rates


def office(inside: float, outside: float) -> Rates:
    return lambda draw, months, days: np.broadcast_to(
        np.where(OFFICE, inside, outside), (months, days, 24)
    ).copy()


def moving_mix(spread: float) -> Rates:
    """Hard requests fail in 10%, others in 3%; the share of hard ones wanders around .3, from day to day by a tenth
    of the way back (a first-order autoregression with φ = .9)."""

    def rates(draw: np.random.Generator, months: int, days: int) -> Floats:
        place = draw.normal(size=months)
        shares = np.empty((months, days))
        for day in range(days):
            shares[:, day] = np.clip(0.3 + spread * place, 0, 1)
            place = 0.9 * place + np.sqrt(1 - 0.81) * draw.normal(size=months)
        return np.repeat((0.03 + 0.07 * shares)[:, :, None], 24, axis=2)

    return rates


STREAMS = (
    Stream("constant 5%", constant(0.05)),
    Stream("constant 20%", constant(0.20)),
    Stream("weekdays 3%, weekends 12%", weekly(0.03, 0.12)),
    Stream("weekdays 3%, weekends 5%", weekly(0.03, 0.05)),
    Stream("office hours 3%, nights 10%", office(0.03, 0.10), profile=np.where(OFFICE, 0.08, 0.2 / 14)),
    Stream("one burst a week, 20 sessions at 60%", constant(0.05), burst=20),
    Stream("the same, across two clock hours", constant(0.05), burst=20, straddles=True),
    Stream("slowly moving mix, ± 0.8 points", moving_mix(0.12)),
    Stream("baseline Monday to Friday, weekends 12%", weekly(0.03, 0.12), weekdays_only=True),
    Stream("14 series at 5%", constant(0.05), series=14),
)
