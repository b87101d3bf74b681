"""The frozen reference: how an agent behaved in a window, which later traffic is compared with."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from datetime import datetime

import msgspec

from rightcall.core.errors import InputError
from rightcall.stats.detect import FEWEST, upper_quantile_rank
from rightcall.store.base import TraceFilter, TraceRow
from rightcall.store.sql.store import Store

KIND = "baseline"
HOURS = "baseline_hours"


class Reference(msgspec.Struct, frozen=True):
    """One check in the window: sessions, and how many of them were bad."""

    n: int
    bad: float


HourCounts = dict[str, list[tuple[int, int, float]]]
"""For each series the hours of the window, counted from 1970: sessions and bad ones."""


class TrafficBaseline(msgspec.Struct, frozen=True):
    """The reference of one agent. `per_day` is the median of sessions per day, `slow_ms` the 95 % point of latency."""

    agent: str
    start: str
    end: str
    made_at: str
    checks: dict[str, Reference] = {}
    slow_ms: float | None = None
    per_day: float = 0.0


Units = dict[str, list[float]]
"""The values of each session in an hour."""


def make_baseline(store: Store, agent: str, start: str, end: str) -> TrafficBaseline:
    """Freeze a window of stored traces as the baseline of an agent; earlier ones stay in its history.

    The hours of the newest one are kept, to be played again.
    """
    until = f"{end}T99" if len(end) == 10 else end  # a date includes the whole day
    which = TraceFilter(agent=agent, since=start, until=until)
    sessions: dict[str, Units] = defaultdict(lambda: defaultdict(list))
    latencies = []
    seen = set()
    for row in store.traces.each(which):
        unit = _unit(row)
        seen.add(unit)
        if row.latency_ms is not None:
            latencies.append((unit, row.latency_ms))
        for check in row.checks:
            if check.bad is not None:
                sessions[check.name][unit].append(check.bad)
    if len(seen) < FEWEST:
        problem = f"{len(seen):,} sessions between {start} and {end}; a baseline needs {FEWEST}"
        raise InputError(f"agent '{agent}'", problem, "choose a longer window")
    if (slow_ms := _point(latencies)) is not None:
        for unit, latency in latencies:
            sessions["slow"][unit].append(float(latency > slow_ms))
    hours = {name: hour_counts(units) for name, units in sessions.items() if len(units) >= FEWEST}
    per_day = statistics.median(Counter(unit[-13:-3] for unit in seen).values())
    references = {name: reference_of_hours(own) for name, own in hours.items()}
    baseline = TrafficBaseline(
        agent, start, end, store.now(), checks=references, slow_ms=slow_ms, per_day=per_day
    )
    history = [*baseline_history(store, agent), baseline]
    store.traces.set_states(KIND, {agent: msgspec.json.encode(history)})
    store.traces.set_states(HOURS, {agent: msgspec.json.encode(hours)})
    return baseline


def _unit(row: TraceRow) -> str:
    """The session of a trace in one hour."""
    return f"{row.session or row.trace_id} {row.started_at[:13]}"


def hour_counts(units: Units) -> list[tuple[int, int, float]]:
    """Hours with the number of sessions and of bad ones; a session counts with its mean, once an hour."""
    counts: dict[int, list[float]] = {}
    for unit, values in units.items():
        total = counts.setdefault(_hour(unit), [0, 0.0])
        total[0] += 1
        total[1] += sum(values) / len(values)
    return [(hour, int(n), bad) for hour, (n, bad) in sorted(counts.items())]


def reference_of_hours(hours: list[tuple[int, int, float]]) -> Reference:
    """The reference of one series."""
    return Reference(sum(n for _, n, _ in hours), sum(bad for _, _, bad in hours))


def _hour(unit: str) -> int:
    """The hour of a session, counted from 1970."""
    return int(datetime.fromisoformat(f"{unit[-13:]}:00+00:00").timestamp()) // 3600


def _point(values: list[tuple[str, float]]) -> float | None:
    """The 95 % point, from above: true of 95 % of such values with 95 % confidence."""
    rank = upper_quantile_rank(len(values)) if values else None
    return None if rank is None else sorted(value for _, value in values)[rank - 1]


def baseline_history(store: Store, agent: str) -> list[TrafficBaseline]:
    """All baselines of an agent, the current one last."""
    held = store.traces.states(KIND, agent).get(agent)
    return [] if held is None else msgspec.json.decode(held, type=list[TrafficBaseline])


def current_baseline(store: Store, agent: str) -> TrafficBaseline | None:
    return next(iter(baseline_history(store, agent)[-1:]), None)


def baseline_hours(store: Store, agent: str) -> HourCounts:
    """The hours of the current baseline."""
    held = store.traces.states(HOURS, agent).get(agent)
    return {} if held is None else msgspec.json.decode(held, type=HourCounts)
