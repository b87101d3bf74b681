"""Labels of the axis of time, and the words at runs whose tools changed."""

from __future__ import annotations

import pytest

from rightcall.show.dashboard.charts import moments_of, sides_of_words, time_axis


def test_runs_of_one_second_are_labelled_with_their_time_not_with_a_fraction():
    first, last = moments = moments_of(["2026-11-18T01:31:33.2Z", "2026-11-18T01:31:33.9Z"])
    axis = time_axis(moments, 8)
    assert axis["values"] == [first, last] and "%H:%M:%S" in axis["format"]


@pytest.mark.parametrize("times", [[], ["2026-11-18T01:31:33Z", "2026-11-18T01:33:33Z"], ["yesterday", ""]])
def test_other_runs_have_the_usual_ticks(times):
    assert time_axis(moments_of(times), 8) == {"grid": False, "tickCount": 8}


def test_words_are_written_where_there_is_room_and_once():
    moments = [0.0, 10.0, 12.0, 50.0, 99.0, 100.0]
    sides = sides_of_words(moments, [False, True, True, True, True, True])
    assert sides == ["", "after", "", "after", "before", ""]
