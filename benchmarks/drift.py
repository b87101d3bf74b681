"""False alarms over simulated months without a change, and detection delays, compared with the stated ones."""

from __future__ import annotations

import argparse
import random

from rightcall.limbs.monitor.series import HOUR, Bounds, new_series, step
from rightcall.stats.detect import bets, detector_step, detector_threshold, new_detector
from rightcall.stats.intervals import clopper_pearson_bounds

TABLE = {
    0.02: {1.5: (445, 1287), 2: (244, 495), 3: (118, 213), 5: (57, 84)},
    0.05: {1.5: (310, 699), 2: (142, 256), 3: (59, 95), 5: (26, 36)},
    0.20: {1.5: (119, 216), 2: (42, 72), 3: (17, 23), 5: (7, 9)},
}
"""Mean delays at A = 1,000 and 10,000, as published with the method's specification."""


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--months", type=int, default=1000)
    options.add_argument("--sessions", type=int, default=3000, help="sessions a month")
    options.add_argument("--share", type=float, default=0.05)
    options.add_argument("--series", type=int, default=1)
    given = options.parse_args()
    for q0 in TABLE:
        print(false_alarms(q0, given.months, given.sessions, given.share, given.series))
    for rate in (0.05, 0.20):
        print(whole_months(rate, given.months, given.sessions // 10, given.share, 2), flush=True)
    for q0, row in TABLE.items():
        for factor, published in row.items():
            found = [mean_delay(q0, q0 * factor, a, runs=200, seed=1) for a in (1_000, 10_000)]
            measured, table = (" / ".join(f"{delay:,.0f}" for delay in pair) for pair in (found, published))
            print(f"q0 {q0:.2f}  {factor:g}x  delay {measured}   table {table}", flush=True)


def mean_delay(q0: float, q1: float, threshold: float, *, runs: int, seed: int = 0) -> float:
    """The mean number of values from a change to rate q1 until the alarm, for independent 0/1 values."""
    draw = random.Random(f"{q0}/{q1}/{threshold}/{seed}")
    total = 0
    for _ in range(runs):
        state = new_detector(q0)
        while state.evidence < threshold:
            state = detector_step(state, float(draw.random() < q1), q0)
        total += state.n
    return total / runs


def false_alarms(q0: float, months: int, sessions: int, share: float, series: int) -> str:
    """The share of months in which any series alarmed though none changed: each value is bad with exactly q0."""
    threshold = detector_threshold(sessions, share, series)
    lams = bets(q0)
    bad = [1 + lam * (1 - q0) for lam in lams]
    good = [max(0.0, 1 - lam * q0) for lam in lams]
    enough = threshold * len(lams)
    draw = random.Random(f"null/{q0}")
    alarms = 0
    for _ in range(months):
        alarms += any(_alarms(draw, q0, sessions, bad, good, enough) for _ in range(series))
    done = f"{months:,} months of {sessions:,} sessions, {series} series"
    return f"q0 {q0:.2f}  {done}: {alarms / months:.3f} false alarms, stated {share}"


def whole_months(rate: float, months: int, sessions: int, share: float, series: int) -> str:
    """The same as the monitor does it: each month a baseline of 600 sessions at the same rate, then sessions, given to
    the monitor's series."""
    draw = random.Random(f"whole/{rate}")
    threshold = detector_threshold(sessions, share / 2, series)
    alarms = 0
    for _ in range(months):
        alarms += any(
            _month_alarms(draw, rate, sessions, threshold, share / 2 / series) for _ in range(series)
        )
    done = f"{months:,} months of {sessions:,} sessions against a measured baseline, {series} series"
    return f"rate {rate:.2f}  {done}: {alarms / months:.3f} false alarms, stated {share}"


def _month_alarms(draw: random.Random, rate: float, sessions: int, threshold: float, delta: float) -> bool:
    bad = sum(draw.random() < rate for _ in range(600))
    q0 = clopper_pearson_bounds(bad, 600, delta).high
    series = new_series(Bounds(q0, threshold))
    hour = 1
    for _ in range(sessions):
        hour += draw.random() < 0.3
        if step(series, float(draw.random() < rate), hour * HOUR) is not None:
            return True
    return False


def _alarms(
    draw: random.Random, q0: float, sessions: int, bad: list[float], good: list[float], enough: float
) -> bool:
    r = [0.0] * len(bad)
    for _ in range(sessions):
        factors = bad if draw.random() < q0 else good
        r = [(value + 1.0) * factor for value, factor in zip(r, factors, strict=True)]
        if sum(r) >= enough:
            return True
    return False


if __name__ == "__main__":
    main()
