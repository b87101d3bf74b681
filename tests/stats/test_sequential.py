"""Early stopping: the same answer as the full run, or an error that stays bounded at every look."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from rightcall.stats.intervals import clopper_pearson_p_values
from rightcall.stats.power import gate_cuts
from rightcall.stats.sequential import (
    confidence_sequence,
    e_decision,
    follow_paths,
    log_e_values,
    mixture_log_e,
    sprt_log_e,
)

results = st.lists(st.integers(0, 1), min_size=1, max_size=60)


def full_decision(passes: int, n: int, theta: float) -> str:
    p_pass, p_fail = clopper_pearson_p_values(passes, n, theta)
    return "PASS" if p_pass <= 0.05 else "FAIL" if p_fail < 0.05 else "INCONCLUSIVE"


@given(st.integers(1, 120), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.01, 0.05]))
def test_cuts_are_where_the_bounds_cross_the_threshold(n, theta, alpha):
    k_pass, k_fail = gate_cuts(n, theta, alpha)
    for k in range(n + 1):
        p_pass, p_fail = clopper_pearson_p_values(k, n, theta)
        assert (p_pass <= alpha) == (k_pass is not None and k >= k_pass)
        assert (p_fail < alpha) == (k_fail is not None and k <= k_fail)


@given(results)
def test_e_value_of_yes_and_no_is_the_likelihood_ratio(xs):
    found = log_e_values(xs, 0.8, 0.95)
    ratio = sprt_log_e(sum(xs), len(xs), 0.8, 0.95)
    assert found == pytest.approx((ratio, -ratio), abs=1e-9)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(0.6, (0, 1, 0, 9.4)), (0.85, (0.042, 0.885, 0.073, 42)), (0.95, (0.867, 0.030, 0.103, 52))],
)
def test_long_run_behaviour_of_the_e_value_stop_is_as_published(rate, expected):
    found = follow_paths(
        lambda s, n: e_decision(log_e_values([1] * s + [0] * (n - s), 0.85, 0.95)), 100, rate
    )
    assert found[:3] == pytest.approx(expected[:3], abs=6e-4)
    assert found.cases == pytest.approx(expected[3], abs=0.6)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_confidence_sequence_ends_where_the_evidence_reaches_its_limit(sn):
    low, high = confidence_sequence(*sn)
    assert low <= sn[0] / sn[1] <= high
    for end in (low, high):
        if 0 < end < 1:
            assert mixture_log_e(*sn, end) == pytest.approx(math.log(20), abs=1e-6)


def test_confidence_sequence_is_valid_at_all_times_simultaneously():
    low_high = {(s, n): confidence_sequence(s, n) for n in range(1, 81) for s in range(n + 1)}

    def misses(s: int, n: int) -> str | None:
        return None if low_high[s, n].low <= 0.7 <= low_high[s, n].high else "FAIL"

    assert follow_paths(misses, 80, 0.7).failing <= 0.05
