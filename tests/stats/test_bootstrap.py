"""Resampling and betting."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, strategies as st
from scipy.stats import bootstrap as oracle

from rightcall.core.errors import InputError
from rightcall.stats.bootstrap_interval import bootstrap, interval_by_bets

scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_percentile_interval_is_near_that_of_scipy():
    rng = random.Random(1)
    values = [rng.betavariate(4, 2) for _ in range(60)]
    expected = oracle((values,), lambda x, axis: x.mean(axis=axis), method="percentile", rng=0)
    assert bootstrap(values) == pytest.approx(tuple(expected.confidence_interval), abs=0.01)


def test_the_seed_decides_the_interval():
    values = [i / 20 for i in range(20)]
    assert bootstrap(values, seed=1) == bootstrap(values, seed=1)


def test_resampling_whole_clusters_widens_the_interval():
    values = [1.0] * 20 + [0.0] * 20
    low, high = bootstrap(values, resamples=500)
    wide_low, wide_high = bootstrap(values, resamples=500, clusters=[i // 5 for i in range(40)])
    assert wide_high - wide_low > high - low


@given(scores)
def test_betting_interval_contains_the_mean(values):
    low, high = interval_by_bets(values)
    assert 0 <= low <= sum(values) / len(values) + 1e-9
    assert sum(values) / len(values) - 1e-9 <= high <= 1


def test_betting_interval_misses_the_truth_at_most_as_often_as_it_says():
    rng = random.Random(2)
    missed = 0
    for _ in range(300):
        low, high = interval_by_bets([rng.choice([0.0, 1.0, 1.0, 1.0]) for _ in range(8)])
        missed += not low <= 0.75 <= high
    assert missed / 300 <= 0.05


def test_values_outside_0_to_1_are_refused():
    with pytest.raises(InputError, match="between 0 and 1"):
        interval_by_bets([0.5, 1.5])
