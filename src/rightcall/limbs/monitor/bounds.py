"""What a series is compared with: rates by block of the week and a threshold, from a baseline and the settings.

Half of the stated share of false alarms is for reference rates that are too low by chance, half for evidence that
reaches the threshold by chance.
"""

from __future__ import annotations

from rightcall.limbs.monitor.baseline import TrafficBaseline
from rightcall.limbs.monitor.drift import Bounds
from rightcall.limbs.monitor.settings import MonitorSettings, seconds
from rightcall.limbs.monitor.week_blocks import block_bounds
from rightcall.stats.detect import WINDOWS, detector_threshold


def bounds_of(settings: MonitorSettings, base: TrafficBaseline, name: str, agents: int = 1) -> Bounds | None:
    """The bounds of a series; None when the baseline lacks it. `agents` is how many have a baseline."""
    reference = base.checks.get(name)
    if reference is None:
        return None
    share = settings.false_alarms.share
    threshold = threshold_of(settings, base, agents)
    window = int(seconds(settings.false_alarms.burst) * 1e9)
    return Bounds(
        block_bounds(reference.cells, share / 2 / watched_series(settings, agents), reference.floor),
        threshold,
        threshold ** (1 / WINDOWS) if window else 0.0,
        window,
        zone=base.timezone,
        per_day=base.per_day,
    )


def threshold_of(settings: MonitorSettings, base: TrafficBaseline, agents: int = 1) -> float:
    """The threshold A, given the traffic of the baseline and the number of watched series."""
    days = seconds(settings.false_alarms.per) / 86400
    sessions = max(1.0, base.per_day * days)
    return detector_threshold(sessions, settings.false_alarms.share / 2, watched_series(settings, agents))


def watched_series(settings: MonitorSettings, agents: int = 1) -> int:
    """How many series share the false alarms: agents × checks × versions.

    Agents with a baseline are watched, listed or not.
    """
    return max(1, agents, len(settings.agents)) * len(settings.drifting) * settings.false_alarms.versions


def watched_names(settings: MonitorSettings, base: TrafficBaseline) -> list[str]:
    """The series of an agent that the baseline has a reference for."""
    return [name for name in settings.drifting if name in base.checks]
