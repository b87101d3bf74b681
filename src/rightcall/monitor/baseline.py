"""The frozen reference: how an agent behaved in a window, which later traffic is compared with."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec

from rightcall.errors import InputError
from rightcall.stats import reference_rate, upper_quantile_rank
from rightcall.store import Store, TraceFilter, TraceRow

KIND = "baseline"
FEWEST = 100


class Reference(msgspec.Struct, frozen=True):
    """One check in the window: sessions, how many of them were bad, and the rate that must not be exceeded."""

    n: int
    bad: float
    q0: float


class TrafficBaseline(msgspec.Struct, frozen=True):
    """The reference for one agent. `per_day` is the median number of sessions per day."""

    agent: str
    start: str
    end: str
    made_at: str
    checks: dict[str, Reference] = {}
    slow_ms: float | None = None
    many_tokens: float | None = None
    per_day: float = 0.0


def make_baseline(store: Store, agent: str, start: str, end: str) -> TrafficBaseline:
    """Freeze a window of stored traces as the baseline of an agent; earlier ones stay in its history."""
    rows = list(store.each_trace(TraceFilter(agent=agent, since=start, until=_after(end))))
    baseline = baseline_of(rows, agent, start, end, store.now())
    history = [*baseline_history(store, agent), baseline]
    store.set_states(KIND, {agent: msgspec.json.encode(history)})
    return baseline


def baseline_of(rows: Iterable[TraceRow], agent: str, start: str, end: str, made_at: str) -> TrafficBaseline:
    """The baseline computed from these traces."""
    sessions: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    days: Counter[str] = Counter()
    latencies, tokens, seen = [], [], set()
    for row in rows:
        unit = f"{row.session or row.trace_id} {row.started_at[:13]}"
        if unit not in seen:
            seen.add(unit)
            days[row.started_at[:10]] += 1
        if row.latency_ms is not None:
            latencies.append(row.latency_ms)
        if row.tokens:
            tokens.append(float(row.tokens))
        for check in row.checks:
            if check.bad is not None:
                sessions[check.name][unit].append(check.bad)
    if len(seen) < FEWEST:
        problem = f"{len(seen):,} sessions between {start} and {end}; a baseline needs {FEWEST}"
        raise InputError(f"agent '{agent}'", problem, "choose a longer window")
    checks = {name: _reference(units) for name, units in sessions.items() if len(units) >= FEWEST}
    return TrafficBaseline(
        agent,
        start,
        end,
        made_at,
        checks,
        _point(latencies),
        _point(tokens),
        statistics.median(days.values()),
    )


def _reference(units: dict[str, list[float]]) -> Reference:
    bad = sum(sum(values) / len(values) for values in units.values())
    return Reference(len(units), bad, reference_rate(bad, len(units)))


def _point(values: list[float]) -> float | None:
    """The 95 % point, from above: an upper bound for 95 % of values with 95 % confidence."""
    rank = upper_quantile_rank(len(values)) if values else None
    return None if rank is None else sorted(values)[rank - 1]


def _after(end: str) -> str:
    """A date as `to` includes the whole day."""
    return f"{end}T99" if len(end) == 10 else end


def baseline_history(store: Store, agent: str) -> list[TrafficBaseline]:
    """All baselines of an agent, the current one last."""
    held = store.state(KIND, agent)
    return [] if held is None else msgspec.json.decode(held, type=list[TrafficBaseline])


def current_baseline(store: Store, agent: str) -> TrafficBaseline | None:
    return next(iter(baseline_history(store, agent)[-1:]), None)


def as_json(baseline: TrafficBaseline) -> Any:
    return msgspec.to_builtins(baseline)
