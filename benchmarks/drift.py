"""False alarms over simulated months without a change, and detection delays, compared with the stated ones."""

from __future__ import annotations

import argparse
import random
from typing import cast

from rightcall.monitor.drift import HOUR, new_series, step
from rightcall.monitor.session_hours import SessionHours
from rightcall.stats import bets, detector_threshold, reference_rate, simulated_delay
from rightcall.store import SessionHour, Store

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
            found = [simulated_delay(q0, q0 * factor, a, runs=200, seed=1) for a in (1_000, 10_000)]
            measured, table = (" / ".join(f"{delay:,.0f}" for delay in pair) for pair in (found, published))
            print(f"q0 {q0:.2f}  {factor:g}x  delay {measured}   table {table}", flush=True)


def false_alarms(q0: float, months: int, sessions: int, share: float, series: int) -> str:
    """The share of months in which any series alarmed though none changed: each value is bad with exactly q0."""
    threshold = detector_threshold(sessions, share, series)
    lams = bets(q0)
    bad, good = [1 + lam * (1 - q0) for lam in lams], [max(0.0, 1 - lam * q0) for lam in lams]
    enough = threshold * len(lams)
    draw = random.Random(f"null/{q0}")
    alarms = 0
    for _ in range(months):
        alarms += any(_alarms(draw, q0, sessions, bad, good, enough) for _ in range(series))
    done = f"{months:,} months of {sessions:,} sessions, {series} series"
    return f"q0 {q0:.2f}  {done}: {alarms / months:.3f} false alarms, stated {share}"


def whole_months(rate: float, months: int, sessions: int, share: float, series: int) -> str:
    """The same as the monitor does it: each month a baseline of 600 sessions at the same rate, then sessions of one to
    four traces that are all bad or all good (a burst), given to the monitor's own series."""
    draw = random.Random(f"whole/{rate}")
    threshold = detector_threshold(sessions, share, series)
    alarms = 0
    for _ in range(months):
        alarms += any(_month_alarms(draw, rate, sessions, threshold) for _ in range(series))
    done = f"{months:,} months of {sessions:,} sessions against a measured baseline, {series} series"
    return f"rate {rate:.2f}  {done}: {alarms / months:.3f} false alarms, stated {share}"


def _month_alarms(draw: random.Random, rate: float, sessions: int, threshold: float) -> bool:
    bad = sum(draw.random() < rate for _ in range(600))
    series, hour = new_series(reference_rate(bad, 600), threshold), 1
    waiting = SessionHours(cast(Store, HeldSessions()))
    for i in range(sessions):
        hour += draw.random() < 0.3
        if waiting.begins("a", hour * HOUR) and any(step(series, x, at) for _, x, at in waiting.end("a")):
            return True
        value = float(draw.random() < rate)
        for _ in range(draw.randint(1, 4)):
            waiting.add(("a", "1", "check"), f"s{i}", value, hour * HOUR)
    return any(step(series, x, at) for _, x, at in waiting.end("a"))


class HeldSessions:
    """Sessions of the hour in memory: simulated months need no store."""

    def __init__(self) -> None:
        self._held: list[SessionHour] = []

    def states(self, kind: str) -> dict[str, bytes]:
        return {}

    def set_states(self, kind: str, documents: dict[str, bytes]) -> None:
        pass

    def add_to_sessions(self, hours: list[SessionHour]) -> None:
        self._held += hours

    def take_sessions(self, agent: str) -> list[SessionHour]:
        taken, self._held = self._held, []
        return taken


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
