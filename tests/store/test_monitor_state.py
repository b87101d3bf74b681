"""What a monitor knows is in the store: on both engines, through restarts and upgrades, for several agents."""

import msgspec
import pytest

import rightcall as rc
from rightcall.limbs.monitor.baseline import baseline_hours
from rightcall.limbs.monitor.demo import SETTINGS, live_traffic, reference_traffic
from rightcall.limbs.monitor.series import KIND as SERIES, Series

pytestmark = pytest.mark.stories

DAY = ("travel", "2026-11-14", "2026-11-14")


def named(traces, service: str):
    for trace in traces:
        resource = {"service.name": service}
        number = f"{int(trace.trace_id, 16) ^ len(service):032x}"[-32:]
        yield msgspec.structs.replace(trace, trace_id=number, service=service, resource=resource)


def evidence(store) -> dict[str, tuple[float, ...]]:
    return {
        name: msgspec.json.decode(data, type=Series).detector.r
        for name, data in store.traces.states(SERIES).items()
    }


def begun(store) -> rc.Monitor:
    monitor = rc.Monitor(SETTINGS, store=store)
    monitor.feed(reference_traffic())
    monitor.make_baseline(*DAY)
    return monitor


def test_a_monitor_that_restarts_all_the_time_collects_the_same_evidence(stores):
    kept = stores.open()
    restarted = stores.open()
    traces = list(live_traffic())[:200]
    begun(kept).feed(traces)
    begun(restarted)
    for i in range(0, 200, 50):
        rc.Monitor(SETTINGS, store=restarted).feed(traces[i : i + 50])
    assert evidence(kept) == evidence(restarted) != {}


def test_a_second_agent_with_a_baseline_raises_the_threshold_of_both(store):
    settings = msgspec.structs.replace(SETTINGS, agents={})
    monitor = rc.Monitor(settings, store=store)
    monitor.feed(reference_traffic())
    monitor.make_baseline(*DAY)
    monitor.feed(list(live_traffic())[:50])
    name = next(name for name in store.traces.states(SERIES) if name.endswith("tool_errors"))
    before = msgspec.json.decode(store.traces.states(SERIES)[name], type=Series).bounds.threshold
    monitor.feed(named(reference_traffic(1), "hotels"))
    monitor.make_baseline("hotels", *DAY[1:])
    monitor.feed(list(live_traffic())[50:60])
    after = msgspec.json.decode(store.traces.states(SERIES)[name], type=Series).bounds
    assert after.threshold == pytest.approx(2 * before)


def test_the_hours_of_a_baseline_are_kept(store):
    begun(store)
    assert sum(n for _, n, _ in baseline_hours(store, "travel")["loop"]) == 600


def test_a_trace_from_the_future_does_not_stop_the_counting_of_sessions(store):
    monitor = begun(store)
    in_sessions = [
        msgspec.structs.replace(trace, session=f"s{i}", time=trace.time + i * 36 * 10**9)
        for i, trace in enumerate(live_traffic())
    ]
    future = msgspec.structs.replace(in_sessions[0], trace_id="f" * 32, time=in_sessions[0].time + 10**18)
    monitor.feed(future)
    for i in range(1, 900, 100):
        monitor.feed(in_sessions[i : i + 100])
    assert [alarm.name for alarm in monitor.alarms] == ["tool_errors"]
