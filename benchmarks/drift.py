"""False alarms over simulated months without a change, and delays after one, against what is stated."""

from __future__ import annotations

import argparse
import random

from rightcall.stats import bets, detector_threshold, simulated_delay

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
    for q0, row in TABLE.items():
        for factor, published in row.items():
            found = [simulated_delay(q0, q0 * factor, a, runs=200, seed=1) for a in (1_000, 10_000)]
            print(
                f"q0 {q0:.2f}  {factor:g}x  delay {found[0]:7.0f} / {found[1]:7.0f}   table {published[0]} / {published[1]}"
            )


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
    return f"q0 {q0:.2f}  {months:,} months of {sessions:,} sessions, {series} series: {alarms / months:.3f} false alarms, stated {share}"


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
