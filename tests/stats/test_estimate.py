"""Which interval is shown with a mean."""

from __future__ import annotations

from rightcall.stats.clusters import estimate, sample
from rightcall.stats.intervals import wilson


def test_independent_yes_or_no_is_shown_with_wilson():
    found = sample([[1]] * 47 + [[0]] * 3)
    assert estimate(found)[1:4] == (*wilson(47, 50), "wilson")


def test_equal_graded_scores_do_not_give_a_zero_width_interval():
    shown = estimate(sample([[0.7]] * 12))
    assert shown.low < 0.6 and shown.high > 0.8
