"""Intervals against statsmodels and scipy, and the laws every interval must keep."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from rightcall.core.errors import InputError
from rightcall.stats.intervals import (
    clopper_pearson,
    clopper_pearson_bounds,
    clopper_pearson_p_values,
    difference_of_groups,
    wilson,
    zero_seen_bound,
)

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
conf = st.sampled_from([0.8, 0.9, 0.95, 0.99])
INTERVALS = [wilson, clopper_pearson]
LAWFUL = st.sampled_from(INTERVALS)


@given(counts, conf, st.sampled_from([(wilson, "wilson"), (clopper_pearson, "beta")]))
def test_interval_agrees_with_statsmodels(xn, level, pair):
    function, method = pair
    assert function(*xn, level) == pytest.approx(
        proportion_confint(*xn, alpha=1 - level, method=method), abs=1e-9
    )


@given(counts, conf, st.sampled_from([wilson, clopper_pearson]))
def test_interval_contains_the_rate_and_stays_between_0_and_1(xn, level, function):
    low, high = function(*xn, level)
    assert 0 <= low <= xn[0] / xn[1] <= high <= 1


@given(counts, LAWFUL)
def test_interval_is_mirrored_when_passes_and_failures_change_places(xn, function):
    x, n = xn
    low, high = function(x, n)
    assert function(n - x, n) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(counts, LAWFUL)
def test_more_confidence_gives_a_wider_interval(xn, function):
    low, high = function(*xn, 0.99)
    inner_low, inner_high = function(*xn, 0.9)
    assert low <= inner_low <= inner_high <= high


@given(counts, LAWFUL)
def test_twice_the_cases_at_the_same_rate_give_a_narrower_interval(xn, function):
    (low, high) = function(*xn)
    (low2, high2) = function(2 * xn[0], 2 * xn[1])
    assert high2 - low2 < high - low


@pytest.mark.parametrize("p", [0.01, 0.1, 0.5, 0.83, 0.95])
@pytest.mark.parametrize("n", [5, 20, 60])
def test_clopper_pearson_covers_the_truth_at_least_as_often_as_it_says(n, p):
    intervals = [clopper_pearson(k, n) for k in range(n + 1)]
    covered = sum(binom.pmf(k, n, p) for k, (low, high) in enumerate(intervals) if low <= p <= high)
    assert covered >= 0.95


@given(counts, st.floats(0.05, 0.95), st.sampled_from([0.01, 0.05, 0.1]))
def test_bounds_and_p_values_say_the_same(xn, theta, alpha):
    low, high = clopper_pearson_bounds(*xn, alpha)
    p_pass, p_fail = clopper_pearson_p_values(*xn, theta)
    if abs(low - theta) > 1e-9:
        assert (low >= theta) == (p_pass <= alpha)
    if abs(high - theta) > 1e-9:
        assert (high < theta) == (p_fail < alpha)


def test_nothing_seen_leaves_everything_possible():
    assert wilson(0, 0) == (0, 1)
    assert zero_seen_bound(0) == 1


def test_never_seen_in_300_tries_may_occur_in_one_of_a_hundred():
    assert zero_seen_bound(300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert math.isclose(zero_seen_bound(300), 0.00994, abs_tol=1e-4)


@pytest.mark.parametrize("arguments", [(11, 10), (-1, 10), (5, 10, 1.0), (5, 10, 95)])
def test_nonsense_is_refused_in_words(arguments):
    with pytest.raises(InputError, match="must lie"):
        wilson(*arguments)


@given(counts, counts)
def test_the_difference_of_two_groups_is_newcombes_for_wilson_intervals(one, two):
    ours = difference_of_groups(one[0] / one[1], wilson(*one), two[0] / two[1], wilson(*two))
    theirs = confint_proportions_2indep(*one, *two, method="newcomb", compare="diff")
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert -1 <= ours.low <= one[0] / one[1] - two[0] / two[1] <= ours.high <= 1
