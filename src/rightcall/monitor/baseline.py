"""The frozen reference: how an agent behaved in a window, which later traffic is compared with."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from rightcall.errors import InputError
from rightcall.stats import reference_rate, upper_quantile_rank
from rightcall.store import Store, TraceFilter, TraceRow
from rightcall.traces import Trace

KIND = "baseline"
FEWEST = 100
TOOL_MIX = "tool_mix"
MOST_TOOLS = 20


class Reference(msgspec.Struct, frozen=True):
    """One check in the window: sessions, how many of them were bad, and the rate that must not be exceeded."""

    n: int
    bad: float
    q0: float


class TrafficBaseline(msgspec.Struct, frozen=True):
    """The reference of one agent. `per_day` is the median of sessions per day. `tools` has two series for each
    tool, for its use becoming more and less common."""

    agent: str
    start: str
    end: str
    made_at: str
    checks: dict[str, Reference] = {}
    slow_ms: float | None = None
    many_tokens: float | None = None
    per_day: float = 0.0
    tools: dict[str, Reference] = {}


def make_baseline(store: Store, agent: str, start: str, end: str, *, tools: bool = False) -> TrafficBaseline:
    """Freeze a window of stored traces as the baseline of an agent; earlier ones stay in its history.

    With `tools`, how often each tool is used is part of it.
    """
    which = TraceFilter(agent=agent, since=start, until=_after(end))
    baseline = baseline_of(store.each_trace(which), agent, start, end, store.now())
    if tools:
        baseline = msgspec.structs.replace(baseline, tools=_tool_references(store, which))
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
            latencies.append((unit, row.latency_ms))
        if row.tokens:
            tokens.append((unit, float(row.tokens)))
        for check in row.checks:
            if check.bad is not None:
                sessions[check.series][unit].append(check.bad)
    if len(seen) < FEWEST:
        problem = f"{len(seen):,} sessions between {start} and {end}; a baseline needs {FEWEST}"
        raise InputError(f"agent '{agent}'", problem, "choose a longer window")
    checks = {name: _reference(units) for name, units in sessions.items() if len(units) >= FEWEST}
    checks |= _above("slow", latencies) | _above("expensive", tokens)
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


def _point(values: list[tuple[str, float]]) -> float | None:
    """The 95 % point, from above: true of 95 % of such values with 95 % confidence."""
    rank = upper_quantile_rank(len(values)) if values else None
    return None if rank is None else sorted(value for _, value in values)[rank - 1]


def _above(name: str, values: list[tuple[str, float]]) -> dict[str, Reference]:
    """How many sessions of the window were above its 95 % point: the reference of `slow` and `expensive`."""
    point = _point(values)
    units: dict[str, list[float]] = defaultdict(list)
    for unit, value in values:
        units[unit].append(float(point is not None and value > point))
    if point is None or len(units) < FEWEST:
        return {}
    found = _reference(units)
    return {name: Reference(found.n, found.bad, max(found.q0, 0.05))}


def _tool_references(store: Store, which: TraceFilter) -> dict[str, Reference]:
    """For each of the most used tools, the sessions that used it and those that did not, as two series."""
    units: dict[str, list[set[str]]] = defaultdict(list)
    common: Counter[str] = Counter()
    for row in store.each_trace(which):
        called = {call.name for call in store.trace(row.trace_id).trajectory.calls}
        units[f"{row.session or row.trace_id} {row.started_at[:13]}"].append(called)
        common.update(called)
    if len(units) < FEWEST:
        return {}
    found = {}
    for tool, _ in common.most_common(MOST_TOOLS):
        used = {unit: [float(tool in called) for called in several] for unit, several in units.items()}
        unused = {unit: [1 - value for value in values] for unit, values in used.items()}
        found[f"{TOOL_MIX}:{tool} more"] = _reference(used)
        found[f"{TOOL_MIX}:{tool} less"] = _reference(unused)
    return found


def tools_used(base: TrafficBaseline, trace: Trace) -> Iterator[tuple[str, float]]:
    """The value of a trace in each series of the tool mix."""
    called = {call.name for call in trace.trajectory.calls}
    for name in base.tools:
        tool, _, direction = name.removeprefix(f"{TOOL_MIX}:").rpartition(" ")
        yield name, float((tool in called) == (direction == "more"))


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
