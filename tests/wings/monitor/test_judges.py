"""Judges on a sample: known probabilities, a daily budget, strata; and other series watched against a baseline."""

import itertools
import statistics

import msgspec
import pytest
from hypothesis import given, strategies as st

import rightcall as rc
from rightcall.store.address import open_store
from rightcall.wings.monitor.demo import SETTINGS, live_traffic, reference_traffic
from rightcall.wings.monitor.monitor import HOUR, JudgeSpending, next_factor
from rightcall.wings.monitor.production_rates import check_rates, version_changes
from rightcall.wings.monitor.settings import JudgeSettings, MonitorSettings
from rightcall.wings.traces.trace_import import import_to_store


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "watch.db") as opened:
        yield opened


def some(count: int, *, gap: int = 1, **changes):
    """Traffic with a trace every `gap` seconds, from midnight."""
    for i, trace in zip(range(count), [*live_traffic(), *live_traffic(1), *live_traffic(2)], strict=False):
        at = 1_794_700_800 * 10**9 + i * gap * 10**9
        yield msgspec.structs.replace(trace, trace_id=f"{i + 1:032x}", time=at, **changes)


def changed(traces, *, calls: int = 2, latency_ms: float = 1_000.0):
    """The same traces with only the first calls, and with another latency."""
    for trace in traces:
        made = trace.trajectory
        made = msgspec.structs.replace(made, calls=made.calls[:calls], latency_ms=latency_ms)
        yield msgspec.structs.replace(trace, trajectory=made)


def judged(store, judge: JudgeSettings, traces, verdict=lambda case: 0.0):
    settings = msgspec.structs.replace(SETTINGS, checks=("tool_errors", judge))
    rows = rc.Monitor(settings, store=store, judges={judge.judge: verdict}).feed(traces)
    return [check for row in rows for check in row.checks if check.name == "judge:good"]


def test_the_chance_that_is_stored_is_the_chance_it_was_chosen_with(store):
    looked_at = judged(store, JudgeSettings("good", sample=0.2, per_day=10_000), some(1000))
    assert {check.share for check in looked_at} == {0.2}
    assert 150 < len(looked_at) < 250  # 200 ± 4 standard deviations


def test_the_daily_budget_lowers_the_share_of_later_hours_and_says_so(store):
    """A trace every 90 s is 960 a day; 80 may be judged: the first hour tells how many there are."""
    looked_at = judged(store, JudgeSettings("good", sample=1.0, per_day=80), some(900, gap=90))
    assert len(looked_at) <= 80
    assert looked_at[0].share == 1.0
    assert 0 < min(check.share for check in looked_at) < 0.1


@given(st.lists(st.integers(0, 5_000), min_size=24, max_size=24), st.floats(0.01, 1), st.integers(1, 2_000))
def test_no_traffic_exceeds_the_days_budget(traffic, sample, per_day):
    judge, spent = JudgeSettings("good", sample=sample, per_day=per_day), JudgeSpending()
    for hour, count in enumerate(traffic):
        for _ in range(min(count, 50)):
            share = spent.share(judge, sample, (24 * 20_000 + hour) * HOUR)
            assert 0 <= share <= sample
            spent.used += share > 0
    assert spent.used <= per_day


def test_shares_change_only_from_hour_to_hour():
    judge, spent = JudgeSettings("good", sample=1.0, per_day=100), JudgeSpending()
    shares = [spent.share(judge, 1.0, (24 * 20_000) * HOUR + i) for i in range(90)]
    assert set(shares) == {1.0}
    assert next_factor(90, 10, 100, 9) == pytest.approx(10 / 90)


def test_failed_traces_may_be_looked_at_more_often_and_rates_stay_those_of_all(store):
    judge = JudgeSettings("good", sample=0.1, per_day=10_000, strata={"failed": 1.0})
    looked_at = judged(
        store, judge, some(1500), lambda case: float(any(c.status == "error" for c in case.trajectory.calls))
    )
    assert {check.share for check in looked_at} == {0.1, 1.0}
    assert {check.stratum for check in looked_at} == {"", "failed"}
    rates = {rate.name: rate for rate in check_rates(store)}
    assert rates["judge:good"].rate == pytest.approx(rates["tool_errors"].rate, abs=0.04)
    assert rates["judge:good"].low is None  # weighted: a sequence of equal values it is not


def test_traces_of_an_intent_may_be_looked_at_more_often(store):
    asked = [
        msgspec.structs.replace(t, tags=("refund",) if i % 10 == 0 else ()) for i, t in enumerate(some(500))
    ]
    judge = JudgeSettings("good", sample=0.01, per_day=10_000, strata={"intent:refund": 1.0})
    looked_at = judged(store, judge, asked)
    assert sum(check.stratum == "intent:refund" for check in looked_at) == 50
    assert len(looked_at) < 70


def test_the_rate_of_a_judge_is_that_of_its_verdicts(store):
    verdicts = itertools.cycle([1.0, 0.0, 0.0, 0.0, 0.0])
    judged(store, JudgeSettings("good", sample=1.0, per_day=10_000), some(500), lambda case: next(verdicts))
    (rate,) = [rate for rate in check_rates(store) if rate.name == "judge:good"]
    assert rate.rate == pytest.approx(0.2) and rate.low < 0.2 < rate.high


def test_a_metric_of_the_settings_is_a_judge(store):
    judge = JudgeSettings("fresh", metric="redundant_calls", sample=1.0, per_day=10_000)
    settings = msgspec.structs.replace(SETTINGS, checks=("tool_errors", judge))
    monitor = rc.Monitor(settings, store=store)
    assert monitor.prepare() == []
    assert {
        check.bad for row in monitor.feed(some(5)) for check in row.checks if check.name == "judge:fresh"
    } == {0.0}


def test_an_unknown_stratum_is_refused(tmp_path):
    (tmp_path / "m.yaml").write_text("checks: [loop, {judge: good, strata: {slow: 0.5}}]\n")
    with pytest.raises(rc.errors.ConfigError, match="unknown stratum 'slow'"):
        rc.Monitor(tmp_path / "m.yaml", store=tmp_path / "x.db")


def test_a_tool_that_is_no_longer_used_is_noticed(store):
    settings = msgspec.structs.replace(SETTINGS, checks=("tool_errors", "tool_mix"))
    monitor = rc.Monitor(settings, store=store)
    monitor.feed(reference_traffic())
    base = monitor.make_baseline("travel", "2026-11-14", "2026-11-14")
    assert set(base.tools) == {f"tool_mix:{t} {d}" for t in ("book", "get_weather") for d in ("more", "less")}
    monitor.feed(changed(some(300, gap=10), calls=1))
    assert [alarm.name for alarm in monitor.alarms] == ["tool_mix:book less"]


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
    monitor.end_hour()
    rate = next(rate for rate in check_rates(store) if rate.name == "tool_errors")
    assert (rate.unit, rate.n) == ("sessions", 1)
    assert rate.high - rate.low > 0.9


@pytest.mark.parametrize("portion", [pytest.param(1, marks=pytest.mark.nightly), 5, 7, 400])
def test_sessions_count_once_an_hour_however_their_traces_arrive(store, tmp_path, portion):
    """Two hours of 40 sessions with five traces each, in portions, by monitors that start anew."""
    traces = [msgspec.structs.replace(t, session=f"s{i % 40}") for i, t in enumerate(some(400, gap=18))]
    for start in range(0, len(traces), portion):
        rc.Monitor(SETTINGS, store=store).feed(traces[start : start + portion])
    rc.Monitor(SETTINGS, store=store).end_hour()
    expected = sum(
        statistics.mean(
            any(c.status == "error" for c in t.trajectory.calls) for t in traces[h + i : h + 200 : 40]
        )
        for h in (0, 200)
        for i in range(40)
    )
    counted = next(count for count in store.traces.session_counts() if count.name == "tool_errors")
    assert (counted.sessions, counted.bad) == (80, pytest.approx(expected))


def test_sessions_of_imported_traces_count_once_too_and_not_again_when_imported_again(store):
    traces = [msgspec.structs.replace(t, session=f"s{i % 40}") for i, t in enumerate(some(400, gap=18))]
    for _ in range(2):
        import_to_store(iter(traces), store)
    rate = next(rate for rate in check_rates(store) if rate.name == "tool_errors")
    assert (rate.unit, rate.n) == ("sessions", 80)


def test_a_busy_hour_is_neither_held_in_memory_nor_written_again_with_every_trace(store):
    monitor = rc.Monitor(SETTINGS, store=store)
    for trace in some(60):
        monitor.feed(msgspec.structs.replace(trace, session=trace.trace_id))
    assert sum(map(len, store.traces.states("series").values())) < 10_000
    assert len(store.traces.take_sessions("travel")) == 60


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
    monkeypatch.setattr("rightcall.wings.monitor.series_book.MOST", 30)
    monitor = rc.Monitor(SETTINGS, store=store)
    monitor.feed(msgspec.structs.replace(trace, agent_version=str(trace.time)) for trace in some(100))
    assert len(store.traces.states("series")) <= 30


def test_the_rate_of_a_judge_is_marked_as_judged(store):
    verdicts = itertools.cycle([1.0, 0.0, 0.0, 0.0, 0.0])
    judged(store, JudgeSettings("good", sample=1.0, per_day=10_000), some(100), lambda case: next(verdicts))
    rates = {rate.name: rate for rate in check_rates(store)}
    assert rates["judge:good"].judged and rates["judge:good"].rate == pytest.approx(0.2)
    assert not any(rate.judged for name, rate in rates.items() if name != "judge:good")
