"""Months of a stream against a measured baseline, many at a time: false alarms and detection delays.

The detector is the monitor's own, written with arrays; `tests/limbs/monitor/test_drift_months.py` compares the
two. Blocks of the week and their bounds are computed by the monitor's code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.drift_streams import Floats, Stream
from rightcall.limbs.monitor.week_blocks import CELLS, block_bounds
from rightcall.stats.detect import WINDOWS, bets, detector_threshold, growth_of

PER_DAY = 100
MONTH = 30
BURST_RATE = 0.6
MOST_BETS = 5


class Detectors:
    """The evidence of each month and series; `q0s` has the bound of each cell of the week, 0 where none is watched."""

    def __init__(self, q0s: Floats, threshold: float, cap: float) -> None:
        self.q0s = q0s
        self.threshold = threshold
        self.cap = cap
        months, series, _ = q0s.shape
        self.lams = np.zeros((months, series, CELLS, MOST_BETS))
        self.share = np.zeros((months, series, MOST_BETS))
        for month in range(months):
            for one in range(series):
                rates = tuple(float(q0) for q0 in q0s[month, one])
                growth = growth_of(rates)
                self.share[month, one, : len(growth)] = 1 / max(1, len(growth))
                for cell, q0 in enumerate(rates):
                    self.lams[month, one, cell, : len(growth)] = bets(q0, growth)
        self.r = np.zeros((months, series, MOST_BETS))
        self.begin_window()

    def begin_window(self) -> None:
        self.before = self.r.copy()

    def add(self, cell: int, bad: NDArray[np.bool_], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """One more value in these months; returns which series are at the threshold."""
        q0 = self.q0s[rows, :, cell][..., None]
        e = np.maximum(0.0, 1 + self.lams[rows, :, cell] * (bad[..., None] - q0))
        grown = np.minimum((self.r[rows] + 1) * e, (self.before[rows] + 1) * self.cap)
        self.r[rows] = np.where(q0 > 0, grown, self.r[rows])
        return self.evidence(rows) >= self.threshold

    def evidence(self, rows: NDArray[np.int64]) -> Floats:
        return np.asarray((self.r[rows] * self.share[rows]).sum(-1))


@dataclass(frozen=True)
class Months:
    """In how many months any series alarmed, and after how many sessions each series did (infinite: never)."""

    alarms: float
    median_delay: float


@dataclass(frozen=True)
class Traffic:
    """The rates and sessions of each hour, and which hours of which months have a burst of how many sessions."""

    rates: Floats
    counts: NDArray[np.int64]
    bursts: NDArray[np.int64]


def simulate(
    stream: Stream,
    baseline_days: int,
    months: int,
    *,
    share: float = 0.05,
    change: float = 0.0,
    seed: int = 1,
) -> Months:
    """Months with a baseline each; with a `change`, all rates rise by it when the baseline ends."""
    draw = np.random.default_rng(seed)
    days = baseline_days + (2 * MONTH if change else MONTH)
    traffic = _traffic(stream, draw, months, days)
    traffic.rates[:, baseline_days:] += change
    threshold = detector_threshold(PER_DAY * MONTH, share / 2, stream.series)
    q0s = _reference_rates(stream, traffic, draw, baseline_days, share / 2 / stream.series)
    detectors = Detectors(q0s, threshold, threshold ** (1 / WINDOWS))
    every = np.arange(months)
    delays = np.full((months, stream.series), np.inf)
    seen = np.zeros(months)
    for day in range(baseline_days, days):
        for hour in range(24):
            cell = _cell(day, hour)
            detectors.begin_window()
            in_burst = np.flatnonzero(traffic.bursts[:, day, hour])
            batches = [(every, traffic.rates[:, day, hour])] * int(traffic.counts[day, hour])
            if len(in_burst):
                size = int(traffic.bursts[in_burst[0], day, hour])
                batches += [(in_burst, np.full(len(in_burst), BURST_RATE))] * size
            for rows, rates in batches:
                bad = draw.random((len(rows), stream.series)) < rates[:, None]
                seen[rows] += 1
                reached = detectors.add(cell, bad, rows)
                delays[rows] = np.minimum(delays[rows], np.where(reached, seen[rows][:, None], np.inf))
    return Months(float(np.isfinite(delays).any(1).mean()), float(np.median(delays)))


def _traffic(stream: Stream, draw: np.random.Generator, months: int, days: int) -> Traffic:
    profile = np.full(24, 1 / 24) if stream.profile is None else stream.profile
    until = np.floor(np.cumsum(np.tile(profile * PER_DAY, days)) + 1e-9)
    counts = np.diff(np.concatenate([[0], until])).astype(np.int64).reshape(days, 24)
    bursts = np.zeros((months, days, 24), np.int64)
    for week in range(0, days, 7) if stream.burst else ():
        day = week + draw.integers(0, 7, months)
        hour = draw.integers(0, 23, months)
        rows = np.flatnonzero(day < days)
        parts = (0, 1) if stream.straddles else (0,)
        for part in parts:
            bursts[rows, day[rows], hour[rows] + part] = stream.burst // len(parts)
    return Traffic(stream.rates(draw, months, days), counts, bursts)


def _reference_rates(
    stream: Stream, traffic: Traffic, draw: np.random.Generator, baseline_days: int, delta: float
) -> Floats:
    """The bound of each cell, from a baseline that is drawn for each month."""
    months = len(traffic.rates)
    sessions = np.zeros((months, CELLS), np.int64)
    bad = np.zeros((months, stream.series, CELLS))
    for day in range(baseline_days):
        if stream.weekdays_only and day % 7 >= 5:
            continue
        for hour in range(24):
            cell = _cell(day, hour)
            shape = (months, stream.series)
            n = traffic.counts[day, hour]
            burst = traffic.bursts[:, day, hour]
            sessions[:, cell] += n + burst
            bad[:, :, cell] += draw.binomial(n, traffic.rates[:, day, hour][:, None], shape)
            bad[:, :, cell] += draw.binomial(burst[:, None], BURST_RATE, shape)
    rates = [
        [
            block_bounds([(int(n), float(b)) for n, b in zip(own, series, strict=True)], delta)
            for series in bad[i]
        ]
        for i, own in enumerate(sessions)
    ]
    return np.array(rates)


def _cell(day: int, hour: int) -> int:
    return 4 * (day % 7 >= 5) + hour // 6
