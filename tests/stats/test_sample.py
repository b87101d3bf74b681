"""Standard errors that respect trials and clusters."""

from __future__ import annotations

import random

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st

from rightcall.core.errors import InputError
from rightcall.stats.clusters import cluster_se, sample

trials = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), min_size=2, max_size=30)
numbers = st.floats(-1, 1, allow_subnormal=False)
labelled = st.lists(st.tuples(numbers, st.integers(0, 6), st.floats(0.1, 5)), min_size=3, max_size=40).filter(
    lambda rows: len({g for _, g, _ in rows}) > 1
)


@given(labelled)
def test_cluster_error_agrees_with_statsmodels(rows):
    values, labels, weights = (list(column) for column in zip(*rows, strict=True))
    fit = sm.WLS(values, np.ones(len(values)), weights=weights).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(labels), "use_correction": True}
    )
    # statsmodels scales by G/(G−1) · (n−1)/(n−k), which is CR1 for the one coefficient here.
    assert cluster_se(values, labels, weights) == pytest.approx(fit.bse[0], abs=1e-9)


@given(trials, st.integers(0, 1000))
def test_order_of_cases_does_not_matter(cases, seed):
    mixed = cases[:]
    random.Random(seed).shuffle(mixed)
    assert sample(mixed).se == pytest.approx(sample(cases).se, abs=1e-12)


@given(labelled)
def test_names_of_clusters_do_not_matter(rows):
    values = [v for v, _, _ in rows]
    renamed = [f"cluster {g}" for _, g, _ in rows]
    assert cluster_se(values, renamed) == cluster_se(values, [g for _, g, _ in rows])


@given(trials)
def test_copying_every_trial_does_not_shrink_the_error(cases):
    copied = [xs + xs for xs in cases]
    assert sample(copied).se >= sample(cases).se - 1e-12


def test_one_cluster_has_an_unknown_error_rather_than_zero():
    assert cluster_se([0.2, 0.9], ["a", "a"]) is None


def test_a_case_weighs_the_same_however_often_it_was_tried():
    assert sample([[1], [1, 0, 1, 1], [0, 0], [1] * 5]).mean == 0.6875


def test_a_case_without_trials_is_refused():
    with pytest.raises(InputError, match="at least one scored trial"):
        sample([[1], []])
