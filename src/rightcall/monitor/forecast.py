"""What would be detected, and how soon: shown before monitoring is turned on."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.monitor.baseline import TrafficBaseline
from rightcall.monitor.series_book import reference_of, threshold_of
from rightcall.monitor.settings import MonitorSettings
from rightcall.stats import simulated_delay

FACTORS = (1.5, 2.0, 3.0, 5.0)


@dataclass(frozen=True)
class Delay:
    """An increased rate, and the mean number of sessions and hours until it is detected."""

    factor: float
    rate: float
    sessions: float
    hours: float


@dataclass(frozen=True)
class Outlook:
    """One check of one agent: the rate of the baseline, the bound it is compared with, and delays."""

    agent: str
    check: str
    rate: float
    q0: float
    per_day: float
    threshold: float
    delays: tuple[Delay, ...]


def outlook(settings: MonitorSettings, baseline: TrafficBaseline, *, runs: int = 60) -> list[Outlook]:
    """Delays for each drifting check, simulated at the traffic of the baseline."""
    threshold = threshold_of(settings, baseline)
    found = []
    for check in (*settings.drifting, *(baseline.tools if settings.tool_mix else ())):
        reference = reference_of(baseline, check)
        if reference is None:
            continue
        delays = []
        for factor in FACTORS:
            rate = reference.q0 * factor
            if rate < 0.95:
                sessions = simulated_delay(reference.q0, rate, threshold, runs=runs, limit=50_000)
                delays.append(Delay(factor, rate, sessions, sessions / max(baseline.per_day, 1e-9) * 24))
        found.append(
            Outlook(
                baseline.agent,
                check,
                reference.bad / reference.n,
                reference.q0,
                baseline.per_day,
                threshold,
                tuple(delays),
            )
        )
    return found
