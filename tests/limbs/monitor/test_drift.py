"""One series: its evidence, and its state through restarts."""

import math

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as scipy_stats

from rightcall.limbs.monitor.baseline import Reference, TrafficBaseline
from rightcall.limbs.monitor.series import HOUR, Bounds, Series, bounds_of, new_series, restart_series, step
from rightcall.limbs.monitor.settings import FalseAlarms, MonitorSettings
from rightcall.stats.detect import detector_step, new_detector
from tests.support.examples import examples

rates = st.floats(0.005, 0.9)


@given(rates, st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=60))
def test_a_series_is_the_detector_of_its_rate(q0, values):
    state = new_detector(q0)
    series = new_series(Bounds(q0, 1e12))
    for i, x in enumerate(values):
        state = detector_step(state, x, q0)
        step(series, x, i * HOUR)
    assert series.detector == state


@settings(max_examples=examples(60))
@given(
    st.sampled_from([0.003, 0.05, 0.2, 0.6, 0.97]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(-(10**20), 10**20)), max_size=40),
)
def test_evidence_is_never_negative_nor_nan_whatever_the_clock_says(q0, values):
    series = new_series(Bounds(q0, 1e5))
    for x, time in values:
        step(series, x, time)
    assert all(r >= 0 and math.isfinite(r) for r in series.detector.r)
    assert series.sessions == len(values) == series.detector.n
    read = msgspec.json.decode(msgspec.json.encode(series), type=Series)
    assert msgspec.structs.asdict(read) == msgspec.structs.asdict(series)


def test_an_alarm_says_since_when_and_comes_once():
    series = new_series(Bounds(0.05, 60_000.0))
    quiet = [step(series, 0.0, i * HOUR) for i in range(100)]
    loud = [step(series, 1.0, (100 + i) * HOUR) for i in range(9)]
    assert quiet == [None] * 100
    assert next(time for time in loud if time is not None) == 100 * HOUR
    series.alarm = 1
    assert step(series, 1.0, 200 * HOUR) is None
    again = restart_series(series, series.bounds)
    assert (again.detector.n, again.sessions, again.alarm) == (0, 110, None)


def test_half_of_the_share_is_for_the_reference_and_half_for_the_evidence():
    checks = {"loop": Reference(1_344, 67.0), "slow": Reference(1_344, 0.0)}
    base = TrafficBaseline("a", "", "", "now", checks, per_day=96.0)
    watched = MonitorSettings(checks=("loop", "slow"), false_alarms=FalseAlarms(versions=1))
    bounds = bounds_of(watched, base, "loop", agents=3)
    assert bounds.threshold == pytest.approx(3 * 2 * 96 * 30 / 0.025)
    assert bounds.q0 == pytest.approx(scipy_stats.beta.ppf(1 - 0.025 / 6, 68, 1_344 - 67))
    assert bounds_of(watched, base, "slow", agents=3).q0 == 0.05
    assert bounds_of(watched, base, "tool_errors") is None
