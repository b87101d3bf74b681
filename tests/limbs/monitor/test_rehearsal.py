"""The baseline played through the detector, and when the share of false alarms is stated."""

import random

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as scipy_stats

from rightcall.limbs.monitor.baseline import TrafficBaseline, reference_of_hours
from rightcall.limbs.monitor.bounds import bounds_of, threshold_of
from rightcall.limbs.monitor.rehearsal import movement_p_value, rehearse, spread_values
from rightcall.limbs.monitor.settings import FalseAlarms, MonitorSettings
from rightcall.limbs.monitor.week_blocks import CELLS, block_bounds
from rightcall.stats.detect import WINDOWS
from tests.support.examples import examples

MONDAY = 20_458 * 24
CHECKS = ("tool_errors", "loop")
SETTINGS = MonitorSettings(checks=CHECKS, false_alarms=FalseAlarms(versions=1))


def baseline(days: int, rate, *, per_hour: int = 4, weekdays_only: bool = False, seed: int = 1):
    """Hours of two checks, and the baseline they give; `rate` maps a day and an hour to a rate."""
    draw = random.Random(seed)
    counts = {name: [] for name in CHECKS}
    seen = set()
    for day in range(days):
        if weekdays_only and day % 7 >= 5:
            continue
        seen.add(day)
        for hour in range(24):
            for name in CHECKS:
                bad = sum(draw.random() < rate(day, hour) for _ in range(per_hour))
                counts[name].append((MONDAY + day * 24 + hour, per_hour, float(bad)))
    weekends = sum(day % 7 >= 5 for day in seen)
    base = TrafficBaseline(
        "a", "", "", "now", {name: reference_of_hours(own) for name, own in counts.items()},
        per_day=24.0 * per_hour, days=(len(seen) - weekends, weekends),
    )  # fmt: skip
    return base, counts


def test_constant_traffic_of_two_weeks_states_its_share():
    found = rehearse(SETTINGS, *baseline(14, lambda day, hour: 0.05))
    assert (found.not_guaranteed, found.raised, found.alarms) == ((), (), 0)
    assert "14 days of baseline" in found.advice


@pytest.mark.parametrize(
    ("days", "rate", "burst", "reason"),
    [
        (3, lambda day, hour: 0.05, "1h", "3 of the 5 weekdays of a week"),
        (14, lambda day, hour: 0.05, "0s", "burst is 0"),
        (14, lambda day, hour: 0.01 if day < 8 else 0.4, "1h", "itself would have raised an alarm"),
        (14, lambda day, hour: 0.01 if day < 8 else 0.4, "1h", "would alarm"),
        (28, lambda day, hour: 0.02 + 0.08 * (day // 7 % 2), "1h", "move from day to day"),
    ],
)
def test_what_cannot_be_held_is_not_stated(days, rate, burst, reason):
    settings_ = msgspec.structs.replace(SETTINGS, false_alarms=FalseAlarms(versions=1, burst=burst))
    found = rehearse(settings_, *baseline(days, rate))
    assert any(reason in problem for problem in found.not_guaranteed), found


def test_weekends_that_the_baseline_lacks_are_named():
    found = rehearse(SETTINGS, *baseline(14, lambda day, hour: 0.05, weekdays_only=True))
    assert (found.unseen, found.weekends, found.not_guaranteed) == ("weekends", 0, ())


def test_half_of_the_share_is_for_the_reference_and_half_for_the_evidence():
    base, _ = baseline(14, lambda day, hour: 0.05)
    bounds = bounds_of(SETTINGS, base, "loop", agents=3)
    assert threshold_of(SETTINGS, base, 3) == bounds.threshold == pytest.approx(3 * 2 * 96 * 30 / 0.025)
    assert bounds.cap == pytest.approx(bounds.threshold ** (1 / WINDOWS))
    reference = base.checks["loop"]
    high = scipy_stats.beta.ppf(1 - 0.025 / 6, reference.bad + 1, reference.n - reference.bad)
    one_block = [(reference.n, reference.bad), *[(0, 0.0)] * (CELLS - 1)]
    assert block_bounds(one_block, 0.025 / 6)[0] == pytest.approx(high)


@settings(max_examples=examples(50))
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.floats(0, n))))
def test_the_values_of_an_hour_have_its_sum(counts):
    n, bad = counts
    values = spread_values(n, bad)
    assert len(values) == n
    assert sum(values) == pytest.approx(bad, abs=1e-6)
    assert all(0 <= value <= 1 for value in values)


def test_the_movement_of_days_has_the_p_value_it_claims():
    """Of constant baselines a tenth has p ≤ .1: 100 of them, three standard deviations around 10."""
    counts = [baseline(14, lambda day, hour: 0.05, seed=seed)[1] for seed in range(100)]
    small = sum(movement_p_value(own) <= 0.1 for own in counts)
    assert 2 <= small <= 19
