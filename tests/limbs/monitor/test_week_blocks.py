"""Blocks of the week: which hours are compared with one rate, and with which bound."""

import itertools

import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as scipy_stats

from rightcall.limbs.monitor.week_blocks import CELLS, block_bounds, block_text, blocks_of, cell_of, day_of
from tests.support.examples import examples

cells = st.lists(
    st.integers(0, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n).map(float))),
    min_size=CELLS,
    max_size=CELLS,
)


def hour(day: int, of_day: int) -> int:
    """An hour of January 2026; the 5th is a Monday."""
    return (20_454 + day - 1) * 24 + of_day


@pytest.mark.parametrize(
    ("day", "of_day", "zone", "cell"),
    [
        (5, 0, "UTC", 0),
        (9, 23, "UTC", 3),
        (10, 0, "UTC", 4),
        (11, 12, "UTC", 6),
        (9, 23, "Europe/Berlin", 4),  # Saturday, 00:00
        (5, 4, "America/New_York", 7),  # Sunday, 23:00
        (5, 5, "America/New_York", 0),  # Monday, 00:00
        (11, 23, "Asia/Kolkata", 0),  # Monday, 04:30
    ],
)
def test_the_cell_of_an_hour_is_that_of_its_time_zone(day, of_day, zone, cell):
    assert cell_of(hour(day, of_day), zone) == cell


def test_clock_changes_move_the_parts_of_the_day():
    """In Berlin 05:00 UTC is 06:00 in winter and 07:00 in summer; 04:00 UTC is 05:00 and 06:00."""
    winter = hour(28, 4)
    summer = hour(28, 4) + 24 * 90
    assert (cell_of(winter, "Europe/Berlin"), cell_of(summer, "Europe/Berlin")) == (0, 1)


def test_a_time_that_no_calendar_has_is_in_some_cell():
    assert cell_of(10**12, "UTC") in range(CELLS)
    assert day_of(-(10**12), "Europe/Berlin") > 0


def test_weekend_days_are_the_last_two_of_seven():
    assert [day_of(hour(day, 12), "UTC") % 7 for day in range(5, 12)] == list(range(7))


def test_small_blocks_join_the_neighbour_with_the_nearest_rate():
    """Worked by hand: nights (40 at 10%) lie between evenings (3%) and mornings (8%), with no weekend."""
    counts = [(40, 4.0), (1000, 80.0), (2000, 60.0), (1000, 30.0)] + [(0, 0.0)] * 4
    assert blocks_of(counts) == (0, 0, 2, 2, -1, -1, -1, -1)
    assert block_text(blocks_of(counts), 0) == "weekdays 00–06, 06–12"
    assert block_text(blocks_of(counts), -1) == "weekends"


def test_weekends_with_another_rate_are_a_block():
    counts = [(250, 7.5)] * 4 + [(100, 12.0)] * 4
    assert blocks_of(counts) == (0,) * 4 + (4,) * 4
    assert block_text(blocks_of(counts), 4) == "weekends"


def test_the_bounds_are_those_of_clopper_and_pearson_at_delta_by_blocks():
    bounds = block_bounds([(250, 7.5)] * 4 + [(100, 12.0)] * 4, 0.01)
    assert bounds[0] == pytest.approx(scipy_stats.beta.ppf(1 - 0.005, 31, 970))
    assert bounds[4] == pytest.approx(scipy_stats.beta.ppf(1 - 0.005, 49, 352))
    assert bounds == (bounds[0],) * 4 + (bounds[4],) * 4


def test_a_bound_is_never_below_its_floor():
    assert block_bounds([(500, 0.0)] * CELLS, 0.01, floor=0.05) == (0.05,) * CELLS


@settings(max_examples=examples(60), deadline=None)
@given(cells)
def test_every_seen_cell_has_a_block_and_a_bound_above_its_blocks_rate(counts):
    block = blocks_of(counts)
    bounds = block_bounds(counts, 0.01)
    for i in range(CELLS):
        assert (block[i] == -1) == (counts[i][0] < 10) == (bounds[i] == 0)
    for name in set(block) - {-1}:
        n = sum(counts[i][0] for i in range(CELLS) if block[i] == name)
        bad = sum(counts[i][1] for i in range(CELLS) if block[i] == name)
        assert n >= 100 or len(set(block) - {-1}) == 1
        assert all(bad / n <= bounds[i] <= 1 for i in range(CELLS) if block[i] == name)


@settings(max_examples=40, deadline=None)
@given(cells, st.sampled_from([1e-4, 1e-3, 0.01, 0.05]))
def test_a_smaller_risk_gives_a_higher_bound(counts, delta):
    low = block_bounds(counts, delta)
    high = block_bounds(counts, delta / 10)
    assert all(a <= b for a, b in zip(low, high, strict=True))


def test_equal_rates_everywhere_are_one_block():
    for n, bad in itertools.product((120, 900), (0.0, 6.0)):
        assert set(blocks_of([(n, bad)] * CELLS)) == {0}
