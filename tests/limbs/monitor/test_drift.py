"""One series: rates by block of the week, bursts, clocks, upgrades and restarts."""

import math
import random

import msgspec
import pytest
from benchmarks.drift_months import Detectors
from hypothesis import given, settings, strategies as st

from rightcall.limbs.monitor.drift import Bounds, Series, new_series, step
from rightcall.limbs.monitor.week_blocks import CELLS, HOUR, cell_of
from rightcall.stats.detect import detector_step, new_detector
from tests.support.examples import examples

MONDAY = 20_458 * 24
"""The first hour of Monday, 5 January 2026, UTC."""

rates = st.floats(0.005, 0.9)


def fed(bounds: Bounds, values, *, gap: int = HOUR) -> Series:
    series = new_series(bounds)
    for i, value in enumerate(values):
        step(series, value, MONDAY * HOUR + i * gap)
    return series


@given(rates, st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=60))
def test_equal_blocks_without_a_cap_are_the_detector_of_one_rate(q0, values):
    state = new_detector(q0)
    for x in values:
        state = detector_step(state, x, q0)
    assert fed(Bounds((q0,) * CELLS, 1e12), values).detector == state


@settings(max_examples=examples(60))
@given(
    st.lists(st.sampled_from([0.0, 0.003, 0.05, 0.2, 0.6, 0.97]), min_size=CELLS, max_size=CELLS),
    st.lists(st.tuples(st.floats(0, 1), st.integers(-(10**20), 10**20)), max_size=40),
    st.sampled_from([0, HOUR, 60 * 10**9]),
)
def test_evidence_is_never_negative_nor_nan_whatever_the_clock_says(q0s, values, window):
    series = new_series(Bounds(tuple(q0s), 1e5, 10.0, window, per_day=5))
    for x, time in values:
        step(series, x, time)
    assert all(r >= 0 and math.isfinite(r) for r in series.r)
    assert series.sessions == len(values) == series.n + series.learning
    assert msgspec.structs.asdict(
        msgspec.json.decode(msgspec.json.encode(series), type=Series)
    ) == msgspec.structs.asdict(series)


def test_a_block_that_the_baseline_has_not_seen_learns_and_does_not_alarm():
    bounds = Bounds((0.05,) * 4 + (0.0,) * 4, 100.0)
    series = new_series(bounds)
    saturday = (MONDAY + 5 * 24) * HOUR
    assert [step(series, 1.0, saturday + i) for i in range(500)] == [None] * 500
    assert (series.learning, series.n, series.evidence) == (500, 0, 0)
    assert any(step(series, 1.0, saturday + 2 * 24 * HOUR + i) for i in range(50))


def test_one_burst_does_not_alarm_but_hours_of_it_do():
    bounds = Bounds((0.05,) * CELLS, 60_000.0, 60_000 ** (1 / 5), HOUR)
    burst = new_series(bounds)
    assert not any(step(burst, 1.0, MONDAY * HOUR + i) for i in range(1000))
    hours = [i // 20 for i in range(200)]
    alarms = [i for i in hours if step(burst, 1.0, (MONDAY + 1 + i) * HOUR)]
    assert alarms
    assert 2 <= alarms[0] <= 5


@given(st.integers(1, 60), st.integers(0, 59))
def test_a_window_multiplies_the_evidence_by_its_cap_at_most(count, minute):
    bounds = Bounds((0.1,) * CELLS, 1e9, 4.0, HOUR)
    series = new_series(bounds)
    for i in range(count):
        step(series, 1.0, MONDAY * HOUR + minute * 10**9 + i)
    assert all(r <= 4.0 for r in series.r)


def test_a_trace_from_the_future_does_not_stop_the_windows():
    bounds = Bounds((0.05,) * CELLS, 60_000.0, 9.0, HOUR)
    series = new_series(bounds)
    step(series, 1.0, (MONDAY + 24 * 365 * 50) * HOUR)
    assert any(step(series, 1.0, (MONDAY + i // 20) * HOUR) for i in range(300))


def test_late_values_belong_to_the_current_window():
    series = new_series(Bounds((0.05,) * CELLS, 60_000.0, 9.0, HOUR))
    step(series, 1.0, (MONDAY + 3) * HOUR)
    step(series, 1.0, (MONDAY + 1) * HOUR)
    assert series.window == MONDAY + 3


def test_more_traffic_than_expected_weighs_less_from_the_next_day_on():
    """The sum of the weights, by which the false alarms of a period are bounded, stays that of the baseline."""
    bounds = Bounds((0.05,) * CELLS, 1e9, per_day=10)
    series = new_series(bounds)
    for i in range(100):
        step(series, 0.0, MONDAY * HOUR + i)
    assert series.weight == 1
    step(series, 0.0, (MONDAY + 24) * HOUR)
    assert series.weight == pytest.approx(0.1)


def test_months_of_the_benchmark_are_those_of_the_monitor():
    """The arrays of `benchmarks drift` and the monitor's series, on the same values."""
    import numpy as np

    draw = random.Random(5)
    q0s = np.array(
        [
            [[draw.choice([0.0, 0.03, 0.1, 0.3, 0.6]) for _ in range(CELLS)] for _ in range(3)]
            for _ in range(2)
        ]
    )
    months = Detectors(q0s, 1e4, 1e4 ** (1 / 5))
    bounds = [[Bounds(tuple(map(float, q)), 1e4, 1e4 ** (1 / 5), HOUR) for q in month] for month in q0s]
    series = [[new_series(one) for one in month] for month in bounds]
    for hour in range(MONDAY, MONDAY + 24 * 9):
        months.begin_window()
        for _ in range(draw.randint(0, 3)):
            bad = np.array([[draw.random() < 0.15 for _ in range(3)] for _ in range(2)])
            months.add(cell_of(hour, "UTC"), bad, np.arange(2))
            for i, month in enumerate(series):
                for j, one in enumerate(month):
                    step(one, float(bad[i, j]), hour * HOUR)
    expected = [[one.evidence for one in month] for month in series]
    assert months.evidence(np.arange(2)) == pytest.approx(np.array(expected))
