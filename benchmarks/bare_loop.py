"""The yardstick: a loop that compares two dicts, and how long something else takes compared with it."""

from __future__ import annotations

import time
from collections.abc import Callable

EXPECTED = {"city": "Hanoi", "days": 5, "units": "celsius"}


def cpu_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The least CPU time of several runs: what a busy machine adds is never part of the work."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def bare_comparison(times: int = 300_000) -> float:
    """Seconds that comparing an actual dict with the expected one takes, loop included."""
    actual = [dict(EXPECTED) for _ in range(100)]

    def loop() -> int:
        equal = 0
        for _ in range(times // len(actual)):
            for arguments in actual:
                if arguments == EXPECTED:
                    equal += 1
        return equal

    return cpu_seconds(loop) / times


def line(label: str, seconds_each: float, bare: float) -> str:
    """One line of a table: rate, microseconds, and how many bare comparisons it is worth."""
    rate = 1 / seconds_each
    micro = seconds_each * 1e6
    return f"{label:<44} {rate:>11,.0f}/s {micro:>9.2f} µs   ×{seconds_each / bare:,.0f} of a bare comparison"
