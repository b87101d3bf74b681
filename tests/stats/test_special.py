"""The special functions against scipy, over many powers of ten."""

from __future__ import annotations

from statistics import NormalDist

import pytest
from hypothesis import given, strategies as st
from scipy import special as oracle, stats as distributions

from rightcall.stats import special

shape = st.floats(-2, 5).map(lambda e: 10**e)
share = st.floats(1e-6, 1 - 1e-6)


@given(share, shape, shape)
def test_both_tails_of_beta_agree_with_scipy(x, a, b):
    lower, upper = special.beta_tails(x, a, b)
    assert lower == pytest.approx(oracle.betainc(a, b, x), abs=1e-10)
    assert upper == pytest.approx(oracle.betaincc(a, b, x), abs=1e-10)


@given(share, shape, shape)
def test_beta_quantile_agrees_with_scipy(q, a, b):
    assert special.beta_quantile(q, a, b) == pytest.approx(oracle.betaincinv(a, b, q), abs=1e-9)


@given(st.floats(1e-4, 1 - 1e-4), st.floats(0, 5).map(lambda e: 10**e))
def test_t_quantile_agrees_with_scipy(q, df):
    assert special.t_quantile(q, df) == pytest.approx(distributions.t.ppf(q, df), rel=1e-8, abs=1e-8)


@given(st.floats(-30, 30), st.floats(0, 5).map(lambda e: 10**e))
def test_t_tail_agrees_with_scipy(t, df):
    assert special.t_sf(t, df) == pytest.approx(distributions.t.sf(t, df), abs=1e-10)


@given(st.integers(1, 100_000), share, share)
def test_binomial_tails_and_terms_agree_with_scipy(n, p, where):
    k = round(n * where)
    assert special.binomial_cdf(k, n, p) == pytest.approx(distributions.binom.cdf(k, n, p), abs=1e-10)
    assert special.binomial_sf(k, n, p) == pytest.approx(distributions.binom.sf(k - 1, n, p), abs=1e-10)
    assert special.binomial_pmf(k, n, p) == pytest.approx(distributions.binom.pmf(k, n, p), abs=1e-10)


def test_a_tiny_tail_keeps_its_digits():
    assert special.binomial_sf(100, 100, 0.5) == pytest.approx(0.5**100, rel=1e-12)


@given(share)
def test_normal_quantile_inverts_the_distribution(q):
    assert NormalDist().cdf(special.normal_quantile(q)) == pytest.approx(q, abs=1e-12)
