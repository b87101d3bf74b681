"""The baseline played through the detector: what it would raise, and whether the false-alarm rate can be stated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import msgspec

from rightcall.limbs.monitor.baseline import (
    KIND,
    HourCounts,
    TrafficBaseline,
    baseline_hours,
    current_baseline,
)
from rightcall.limbs.monitor.series import HOUR, Bounds, bounds_of, new_series, step, watched_series
from rightcall.limbs.monitor.settings import MonitorSettings
from rightcall.store.sql.store import Store

ENOUGH = 7
"""Days that a baseline needs: nights and weekends may differ."""


class Raised(msgspec.Struct, frozen=True):
    """An alarm that the baseline itself would have raised."""

    check: str
    hour: int
    evidence: float


class BaselinePlan(msgspec.Struct, frozen=True):
    """What the baseline of one agent shows about the detector.

    `not_guaranteed` has the reasons why the stated share of false alarms is not claimed; empty when it is.
    """

    agent: str
    share: float
    per: str
    series: int
    days: int
    raised: tuple[Raised, ...] = ()
    not_guaranteed: tuple[str, ...] = ()


def baseline_plans(store: Store, settings: MonitorSettings) -> list[BaselinePlan]:
    """The plan of each agent that has a baseline."""
    agents = list(settings.agents) or sorted({agent for agent, *_ in store.traces.counts()})
    baselines = (current_baseline(store, agent) for agent in agents)
    return [plan_of_baseline(store, settings, base) for base in baselines if base is not None]


def plan_of_baseline(store: Store, settings: MonitorSettings, base: TrafficBaseline) -> BaselinePlan:
    agents = len(store.traces.states(KIND))
    return rehearse(settings, base, baseline_hours(store, base.agent), agents)


def rehearse(
    settings: MonitorSettings, base: TrafficBaseline, hours: HourCounts, agents: int = 1
) -> BaselinePlan:
    """Play the hours of a baseline through the detectors. Bad sessions of an hour are spread evenly."""
    raised = []
    for name in settings.drifting:
        bounds = bounds_of(settings, base, name, agents)
        if bounds is not None and name in hours:
            raised += _play_hours(name, bounds, hours[name])
    days = len({hour // 24 for hour, _, _ in chain.from_iterable(hours.values())})
    alarms = settings.false_alarms
    problems = []
    if days < ENOUGH:
        problems.append(f"the baseline has {days} of the {ENOUGH} days of a week")
    if raised:
        names = ", ".join(alarm.check for alarm in raised)
        problems.append(f"the baseline itself would have raised an alarm ({names})")
    series = watched_series(settings, agents)
    return BaselinePlan(
        base.agent,
        alarms.share,
        alarms.per,
        series,
        days=days,
        raised=tuple(raised),
        not_guaranteed=tuple(problems),
    )


def spread_values(n: int, bad: float) -> Iterator[float]:
    """The values of an hour: whole bad sessions, spread evenly, and what is left over in the first good one."""
    whole = min(n, int(bad + 1e-9))
    rest = bad - whole
    for i in range(n):
        value = float((i + 1) * whole // n > i * whole // n)
        if not value and rest > 1e-9:
            yield rest
            rest = 0.0
        else:
            yield value


def _play_hours(name: str, bounds: Bounds, hours: list[tuple[int, int, float]]) -> list[Raised]:
    series = new_series(bounds)
    for hour, n, bad in hours:
        for value in spread_values(n, bad):
            if step(series, value, hour * HOUR) is not None:
                return [Raised(name, hour, series.detector.evidence)]
    return []
