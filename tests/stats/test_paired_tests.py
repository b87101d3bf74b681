"""Paired tests against statsmodels and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as oracle
from statsmodels.stats.contingency_tables import mcnemar

from rightcall.stats.paired_tests import (
    bonett_price_estimate,
    fisher_exact,
    mcnemar_exact,
    mcnemar_midp,
    paired_t,
    shrunk_difference,
)
from rightcall.stats.permutation import sign_flip

count = st.integers(0, 60)
differences = st.lists(
    st.sampled_from([-1.0, -2 / 3, -1 / 3, 0.0, 1 / 3, 2 / 3, 1.0]), min_size=1, max_size=40
)


@given(count, count)
def test_mcnemar_agrees_with_statsmodels_and_is_symmetric(b, c):
    expected = mcnemar([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, abs=1e-9)
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)
    assert mcnemar_midp(b, c) <= mcnemar_exact(b, c) + 1e-12


@given(st.lists(st.integers(0, 15), min_size=4, max_size=4))
def test_fisher_agrees_with_scipy(cells):
    table = [cells[:2], cells[2:]]
    if 0 not in (sum(table[0]), sum(table[1]), cells[0] + cells[2], cells[1] + cells[3]):
        assert fisher_exact(table) == pytest.approx(oracle.fisher_exact(table)[1], abs=1e-9)


@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=3, max_size=30))
def test_paired_t_agrees_with_scipy(d):
    found = paired_t(d)
    if found.se:
        expected = oracle.ttest_1samp(d, 0)
        assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-6, abs=1e-9)


@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 2)), min_size=2, max_size=9))
def test_all_sign_flips_agree_with_scipy(d):
    expected = oracle.permutation_test(
        (np.array(d),), lambda x, axis: x.sum(axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(d) == pytest.approx(expected.pvalue, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(differences, st.integers(0, 9))
def test_sign_flip_is_repeatable_never_zero_and_blind_to_direction(d, seed):
    p = sign_flip(d, seed, resamples=200)
    assert 1 / 2**16 <= p <= 1
    assert p == sign_flip(d, seed, resamples=200) == sign_flip([-x for x in d], seed, resamples=200)


def test_drawn_sign_flips_come_near_the_t_test():
    d = [((i * 37) % 101) / 100 - 0.42 for i in range(80)]
    assert sign_flip(d) == pytest.approx(paired_t(d).p, abs=0.02)


def test_flipping_whole_clusters_is_more_careful():
    d = [0.5] * 6 + [-0.1] * 6
    together = sign_flip(d, clusters=["a"] * 6 + ["b"] * 6)
    assert together == 1.0 > sign_flip(d)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(0, n))))
def test_the_general_form_is_bonett_price_for_single_trials(counts):
    n = counts[0]
    b = counts[1]
    c = min(counts[2], counts[0] - counts[1])
    d = [-1.0] * b + [1.0] * c + [0.0] * (n - b - c)
    found = paired_t(d)
    if found.se is not None:
        general = shrunk_difference(found.mean, found.se, n)
        assert general == pytest.approx(bonett_price_estimate(n, b, c), abs=1e-9)
