"""The frozen reference: how an agent behaved in a window, which later traffic is compared with."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime

import msgspec

from rightcall.core.errors import InputError
from rightcall.limbs.monitor.week_blocks import CELLS, Cell, cell_of, day_of
from rightcall.stats.detect import reference_rate, upper_quantile_rank
from rightcall.store.sql.store import Store
from rightcall.store.watch import TraceFilter, TraceRow

KIND = "baseline"
HOURS = "baseline_hours"
FEWEST = 100


class Reference(msgspec.Struct, frozen=True):
    """One check in the window: sessions, how many of them were bad, and the upper bound of their rate.

    `cells` has both for each cell of the week (`week_blocks`). A bound is never below `floor`.
    """

    n: int
    bad: float
    q0: float
    cells: tuple[Cell, ...]
    floor: float = 0.0


HourCounts = dict[str, list[tuple[int, int, float]]]
"""For each series the hours of the window, counted from 1970: sessions and bad ones."""


class TrafficBaseline(msgspec.Struct, frozen=True):
    """The reference of one agent. `per_day` is the median of sessions per day. `timezone` is that of the cells of the
    week, and `days` has the weekdays and the weekend days with sessions."""

    agent: str
    start: str
    end: str
    made_at: str
    checks: dict[str, Reference] = {}
    slow_ms: float | None = None
    many_tokens: float | None = None
    per_day: float = 0.0
    timezone: str = "UTC"
    days: tuple[int, int] = (0, 0)


Units = dict[str, list[float]]
"""The values of each session in an hour."""


def make_baseline(
    store: Store, agent: str, start: str, end: str, *, timezone: str = "UTC"
) -> TrafficBaseline:
    """Freeze a window of stored traces as the baseline of an agent; earlier ones stay in its history.

    The hours of the newest one are kept, to be played again.
    """
    until = f"{end}T99" if len(end) == 10 else end  # a date includes the whole day
    which = TraceFilter(agent=agent, since=start, until=until)
    sessions: dict[str, Units] = defaultdict(lambda: defaultdict(list))
    latencies = []
    tokens = []
    seen = set()
    for row in store.traces.each(which):
        unit = _unit(row)
        seen.add(unit)
        if row.latency_ms is not None:
            latencies.append((unit, row.latency_ms))
        if row.tokens:
            tokens.append((unit, float(row.tokens)))
        for check in row.checks:
            if check.bad is not None:
                sessions[check.name][unit].append(check.bad)
    if len(seen) < FEWEST:
        problem = f"{len(seen):,} sessions between {start} and {end}; a baseline needs {FEWEST}"
        raise InputError(f"agent '{agent}'", problem, "choose a longer window")
    sessions |= _above("slow", latencies) | _above("expensive", tokens)
    hours = {name: hour_counts(units) for name, units in sessions.items() if len(units) >= FEWEST}
    references = {n: reference_of_hours(own, timezone, FLOORS.get(n, 0.0)) for n, own in hours.items()}
    baseline = TrafficBaseline(
        agent,
        start,
        end,
        store.now(),
        checks=references,
        slow_ms=_point(latencies),
        many_tokens=_point(tokens),
        per_day=statistics.median(Counter(unit[-13:-3] for unit in seen).values()),
        timezone=timezone,
        days=_kinds_of_days({_hour(unit) for unit in seen}, timezone),
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


def reference_of_hours(
    hours: Iterable[tuple[int, int, float]], timezone: str = "UTC", floor: float = 0.0
) -> Reference:
    """The reference of one series, by cell of the week."""
    cells = [(0, 0.0)] * CELLS
    for hour, n, bad in hours:
        cell = cell_of(hour, timezone)
        cells[cell] = cells[cell][0] + n, cells[cell][1] + bad
    n = sum(n for n, _ in cells)
    bad = sum(bad for _, bad in cells)
    return Reference(n, bad, max(floor, reference_rate(bad, n)), tuple(cells), floor=floor)


def _hour(unit: str) -> int:
    """The hour of a session, counted from 1970."""
    return int(datetime.fromisoformat(f"{unit[-13:]}:00+00:00").timestamp()) // 3600


def _kinds_of_days(hours: set[int], timezone: str) -> tuple[int, int]:
    """How many weekdays and weekend days have sessions."""
    days = {day_of(hour, timezone) for hour in hours}
    weekends = sum(day % 7 >= 5 for day in days)
    return len(days) - weekends, weekends


def _point(values: list[tuple[str, float]]) -> float | None:
    """The 95 % point, from above: true of 95 % of such values with 95 % confidence."""
    rank = upper_quantile_rank(len(values)) if values else None
    return None if rank is None else sorted(value for _, value in values)[rank - 1]


FLOORS = {"slow": 0.05, "expensive": 0.05}
"""Sessions above the 95 % point are 5 % by its definition."""


def _above(name: str, values: list[tuple[str, float]]) -> dict[str, Units]:
    """Which sessions of the window were above its 95 % point: the reference of `slow` and `expensive`."""
    point = _point(values)
    units: Units = defaultdict(list)
    for unit, value in values:
        units[unit].append(float(point is not None and value > point))
    return {} if point is None else {name: units}


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
