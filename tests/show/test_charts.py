"""Charts: axes, ticks and places."""

from __future__ import annotations

import pytest

from rightcall.show.case_elements import as_html
from rightcall.show.charts import (
    Point,
    colour_class,
    confusion_table,
    histogram,
    line,
    moments_of,
    number_ticks,
    time_ticks,
    trend,
)
from rightcall.show.text import duration
from rightcall.show.view.spread import SpreadTally
from rightcall.show.view.summary import ShownRate
from rightcall.show.view.tools import ConfusionMatrix


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (120, 2_350, [500, 1_000, 1_500, 2_000]),
        (0.0011, 0.0029, [0.0015, 0.002, 0.0025]),
        (0, 3, [0, 1, 2, 3]),
        (7, 7, [7]),
    ],
)
def test_ticks_are_round_numbers_within_the_axis(low, high, ticks):
    assert number_ticks(low, high, 5) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        ("2026-11-18T01:31:33.2Z", "2026-11-18T01:31:33.9Z", ["Nov 18, 01:31:33", "Nov 18, 01:31:33"]),
        ("2026-11-18T01:31:00Z", "2026-11-18T01:36:00Z", ["01:32", "01:34", "01:36"]),
        ("2026-11-18T20:00:00Z", "2026-11-19T04:00:00Z", ["20:00", "22:00", "Nov 19", "02:00", "04:00"]),
        ("2026-11-01T00:00:00Z", "2026-11-07T00:00:00Z", ["Nov 1", "Nov 3", "Nov 5", "Nov 7"]),
        ("yesterday", "", []),
    ],
)
def test_times_are_labelled_in_utc_with_what_differs(first, last, labels):
    assert list(time_ticks(moments_of([first, last]), 4).values()) == labels


def test_a_histogram_says_how_many_cases_lie_where():
    tally = SpreadTally()
    for value in (0, 10, 10, 240):
        tally.add(value)
    drawn = as_html(histogram(tally.spread(), "latency", duration))
    assert (
        "<title>10 ms to 20 ms: 2 cases</title>" in drawn
        and "<title>230 ms to 240 ms: 1 case</title>" in drawn
    )
    assert ">latency</text>" in drawn and ">cases</text>" in drawn and ">200 ms</text>" in drawn


def test_each_run_has_a_dot_with_its_rate_and_each_agent_a_colour():
    points = [
        Point(
            f"run-{at}",
            f"2026-11-0{at}T00:00:00Z",
            f"agent-{at % 2}",
            ShownRate(9, 10, 0.9, low=0.6, high=0.98, range="60–98%"),
            at == 3,
        )
        for at in (1, 2, 3)
    ]
    drawn = as_html(trend(points))
    assert drawn.count("<circle") == 3 and "run-1 agent-1 2026-11-01 00:00: 90.0% (range 60–98%)" in drawn
    assert '<span class="series-1">agent-0</span>' in drawn and "tools changed" in drawn
    assert as_html(line(points)).count("<circle") == 1 and as_html(line([])).startswith("<svg")


def test_beyond_six_agents_the_colours_do_not_repeat():
    assert [colour_class(number, 9) for number in (0, 5, 6, 8)] == [
        "series-0",
        "series-5",
        *["series-more"] * 2,
    ]
    assert colour_class(0, 1) == "series"


def test_the_share_of_its_row_shades_a_cell_of_the_confusion_table():
    drawn = as_html(confusion_table(ConfusionMatrix(("a", "b"), ("a", "b"), ((9, 1), (0, 4)))))
    assert '<td class="right share-4">9</td><td class="wrong share-1">1</td>' in drawn
    assert '<td class="zero"></td><td class="right share-4">4</td>' in drawn
