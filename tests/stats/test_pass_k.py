"""pass^k without bias."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from rightcall.stats.power import pass_hat_k

trials = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(trials)
def test_more_runs_make_all_less_likely(nc):
    n, c = nc
    hats = [pass_hat_k(n, c, k) for k in range(1, n + 1)]
    assert all(b <= a for a, b in itertools.pairwise(hats))
    assert hats[-1] <= hats[0] == pytest.approx(c / n)


@pytest.mark.parametrize("p", [0.2, 0.5, 0.8])
def test_pass_hat_k_is_right_on_average(p):
    mean = sum(binom.pmf(c, 5, p) * pass_hat_k(5, c, 3) for c in range(6))
    assert mean == pytest.approx(p**3)


def test_more_runs_than_trials_is_not_guessed():
    assert pass_hat_k(3, 3, 4) is None
