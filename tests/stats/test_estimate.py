"""Which interval is shown with a mean."""

from __future__ import annotations

from rightcall import stats


def test_independent_yes_or_no_is_shown_with_wilson():
    found = stats.sample([[1]] * 47 + [[0]] * 3)
    assert stats.estimate(found)[1:4] == (*stats.wilson(47, 50), "wilson")


def test_repeated_trials_are_shown_with_korn_graubard():
    cases = [[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0]]
    shown = stats.estimate(stats.sample(cases))
    assert (shown.low, shown.high) == stats.korn_graubard(cases)
    assert shown.small


def test_equal_graded_scores_do_not_give_a_zero_width_interval():
    shown = stats.estimate(stats.sample([[0.7]] * 12))
    assert shown.low < 0.6 and shown.high > 0.8
