"""Sessions count once an hour, whatever their number of traces; versions are compared by them."""

import statistics

import msgspec
import pytest

import rightcall as rc
from rightcall.limbs.monitor.demo import SETTINGS, live_traffic, reference_traffic
from rightcall.limbs.monitor.production_rates import check_rates, version_changes
from rightcall.limbs.monitor.settings import MonitorSettings
from rightcall.store.address import open_store


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "watch.db") as opened:
        yield opened


def some(count: int, *, gap: int = 1, start: int = 0, **changes):
    """Traffic with a trace every `gap` seconds, from midnight."""
    for i, trace in zip(range(count), [*live_traffic(), *live_traffic(1), *live_traffic(2)], strict=False):
        at = (1_794_700_800 + start + i * gap) * 10**9
        yield msgspec.structs.replace(trace, trace_id=f"{start + i + 1:032x}", time=at, **changes)


def changed(traces, *, calls: int = 2, latency_ms: float = 1_000.0):
    """The same traces with only the first calls, and with another latency."""
    for trace in traces:
        made = trace.trajectory
        made = msgspec.structs.replace(made, calls=made.calls[:calls], latency_ms=latency_ms)
        yield msgspec.structs.replace(trace, trajectory=made)


def test_slow_traces_are_watched_from_the_first_baseline_on(store):
    settings = MonitorSettings(agents=SETTINGS.agents, checks=("slow",), false_alarms=SETTINGS.false_alarms)
    monitor = rc.Monitor(settings, store=store)
    monitor.feed(reference_traffic())
    monitor.make_baseline("travel", "2026-11-14", "2026-11-14")
    monitor.feed(changed(some(200, gap=10), latency_ms=9_000.0))
    assert [alarm.name for alarm in monitor.alarms] == ["slow"]


def test_a_burst_of_one_session_is_one_value_of_the_rate(store):
    monitor = rc.Monitor(SETTINGS, store=store)
    monitor.feed(some(500, session="one user"))
    monitor.feed(some(1, gap=1, session="another user", start=2 * 3600))
    rate = next(rate for rate in check_rates(store) if rate.name == "tool_errors")
    assert (rate.unit, rate.n) == ("sessions", 1)
    assert rate.high - rate.low > 0.9


@pytest.mark.parametrize("portion", [pytest.param(1, marks=pytest.mark.nightly), 5, 7, 400])
def test_sessions_count_once_an_hour_however_their_traces_arrive(store, tmp_path, portion):
    """Two hours of 40 sessions with five traces each, in portions, by monitors that start anew."""
    traces = [msgspec.structs.replace(t, session=f"s{i % 40}") for i, t in enumerate(some(400, gap=18))]
    for start in range(0, len(traces), portion):
        rc.Monitor(SETTINGS, store=store).feed(traces[start : start + portion])
    rc.Monitor(SETTINGS, store=store).feed(some(1, session="late", start=3 * 3600))
    expected = sum(
        statistics.mean(
            any(c.status == "error" for c in t.trajectory.calls) for t in traces[h + i : h + 200 : 40]
        )
        for h in (0, 200)
        for i in range(40)
    )
    counted = next(count for count in store.traces.session_counts() if count.name == "tool_errors")
    assert (counted.sessions, counted.bad) == (80, pytest.approx(expected))


def test_the_sessions_of_an_hour_wait_for_its_end_in_their_traces_alone(store):
    monitor = rc.Monitor(SETTINGS, store=store)
    for trace in some(60):
        monitor.feed(msgspec.structs.replace(trace, session=trace.trace_id))
    assert sum(map(len, store.traces.states("series").values())) < 10_000
    assert all(count.sessions == 0 for count in store.traces.session_counts())


def test_two_versions_are_compared_by_the_interval_of_their_difference(store):
    monitor = rc.Monitor(SETTINGS, store=store)
    monitor.feed(reference_traffic())
    worse = [t for t in live_traffic() if any(c.status == "error" for c in t.trajectory.calls)] * 3
    monitor.feed(
        msgspec.structs.replace(t, trace_id=f"{i:032x}", agent_version="2.0") for i, t in enumerate(worse)
    )
    said = {change.name: change.said for change in version_changes(check_rates(store))}
    assert said["tool_errors"] == "worse"
    assert said["loop"] == "no difference shown"


def test_versions_without_end_do_not_fill_the_memory(store, monkeypatch):
    monkeypatch.setattr("rightcall.limbs.monitor.series.MOST", 30)
    monitor = rc.Monitor(SETTINGS, store=store)
    monitor.feed(msgspec.structs.replace(trace, agent_version=str(trace.time)) for trace in some(100))
    assert len(store.traces.states("series")) <= 30
