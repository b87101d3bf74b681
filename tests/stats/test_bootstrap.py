"""Resampling and betting."""

from __future__ import annotations

import random

import pytest
from hypothesis import strategies as st
from scipy.stats import bootstrap as oracle

from rightcall.stats.bootstrap_interval import bootstrap

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
