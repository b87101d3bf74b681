"""Which interval is shown, and that a gate's bounds keep their promise with correlated trials."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightcall import stats

trials = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), min_size=2, max_size=40)
graded = st.lists(st.floats(0, 1), min_size=2, max_size=40).map(lambda xs: [[x] for x in xs])


def test_independent_yes_or_no_is_shown_with_wilson_and_decided_with_clopper_pearson():
    found = stats.sample([[1]] * 47 + [[0]] * 3)
    assert stats.estimate(found)[1:4] == (*stats.wilson(47, 50), "wilson")
    assert stats.bounds(found) == pytest.approx(stats.clopper_pearson_bounds(47, 50))


def test_repeated_trials_are_shown_with_korn_graubard():
    cases = [[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0]]
    shown = stats.estimate(stats.sample(cases))
    assert (shown.low, shown.high) == stats.korn_graubard(cases)
    assert shown.small


@given(st.one_of(trials, graded))
def test_bounds_contain_the_mean_and_agree_with_p_values(cases):
    found = stats.sample(cases)
    low, high = stats.bounds(found)
    assert 0 <= low <= found.mean + 1e-12 and found.mean - 1e-12 <= high <= 1
    for theta in (0.5, 0.8, 0.95):
        p_pass, p_fail = stats.p_values(found, theta)
        if abs(low - theta) > 1e-9:
            assert (low >= theta) == (p_pass <= 0.05)
        if abs(high - theta) > 1e-9:
            assert (high < theta) == (p_fail < 0.05)


@given(trials)
def test_bounds_are_mirrored_when_passes_and_failures_change_places(cases):
    low, high = stats.bounds(stats.sample(cases))
    mirrored = stats.bounds(stats.sample([[1 - x for x in xs] for xs in cases]))
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(st.integers(2, 60), st.integers(2, 6), st.sampled_from([0.8, 0.9, 0.95]))
def test_a_failed_trial_never_turns_an_undecided_run_into_a_pass(n, m, theta):
    flawless = [[1] * m for _ in range(n)]
    blemished = [[0] + [1] * (m - 1), *flawless[1:]]
    p_flawless, _ = stats.p_values(stats.sample(flawless), theta)
    p_blemished, _ = stats.p_values(stats.sample(blemished), theta)
    assert p_blemished >= p_flawless - 1e-12


def test_equal_graded_scores_do_not_give_a_zero_width_interval():
    shown = stats.estimate(stats.sample([[0.7]] * 12))
    assert shown.low < 0.6 and shown.high > 0.8


def passes_at_the_boundary(groups: int, m: int, theta: float, icc: float, runs: int) -> tuple[float, float]:
    """Share of runs whose true mean is theta that PASS, by the gate and by counting trials as cases."""
    rng = random.Random(4)
    a, b = theta * (1 - icc) / icc, (1 - theta) * (1 - icc) / icc
    careful = naive = 0
    for _ in range(runs):
        rates = [rng.betavariate(a, b) for _ in range(groups)]
        cases = [[float(rng.random() < p) for _ in range(m)] for p in rates]
        careful += stats.p_values(stats.sample(cases), theta)[0] <= 0.05
        flat = sum(map(sum, cases))
        naive += stats.clopper_pearson_p_values(flat, groups * m, theta)[0] <= 0.05
    return careful / runs, naive / runs


def test_correlated_trials_at_the_boundary_pass_no_more_often_than_promised():
    careful, naive = passes_at_the_boundary(30, 5, 0.9, 0.5, 1500)
    assert careful <= 0.06 < 0.1 < naive
