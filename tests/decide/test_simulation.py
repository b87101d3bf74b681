"""Simulated runs are judged by the rule that will judge the real one."""

from __future__ import annotations

import random

import numpy as np
import pytest
import scipy.stats

from rightcall.decide.sample_size import plan
from rightcall.decide.simulation import _draw_means, beta_binomial


@pytest.mark.parametrize("icc", [0.0, 0.2, 0.5, 0.95, 1.0])
def test_golden_means_are_beta_binomial(icc):
    found = beta_binomial(5, 0.9, icc)
    if 0 < icc < 1:
        a = 0.9 * (1 - icc) / icc
        b = 0.1 * (1 - icc) / icc
        assert found.weights == pytest.approx(scipy.stats.betabinom.pmf(range(6), 5, a, b), abs=1e-10)
    assert sum(found.weights) == pytest.approx(1)
    assert sum(v * w for v, w in zip(*found, strict=True)) == pytest.approx(0.9)


def test_many_goldens_are_drawn_as_few_are():
    goldens = beta_binomial(3, 0.9, 0.5)
    rng = random.Random(1)
    counts = [_draw_means(rng, goldens, 2_000) for _ in range(300)]
    assert all(sum(drawn.values()) == 2_000 for drawn in counts)
    for value, share in zip(*goldens, strict=True):
        seen = [drawn.get(value, 0) for drawn in counts]
        assert np.mean(seen) == pytest.approx(
            2_000 * share, abs=6 * (2_000 * share * (1 - share) / 300) ** 0.5
        )
        assert np.var(seen) == pytest.approx(2_000 * share * (1 - share), rel=0.4)


def test_a_plan_keeps_its_promise_in_independent_runs():
    asked = plan(0.9, 0.97, trials=5, icc=0.5)
    rng = np.random.default_rng(5)
    weights = rng.exponential(size=(2_000, asked.goldens + 1))
    passed = 0
    for _ in range(500):
        rates = rng.beta(0.97, 0.03, size=asked.goldens)
        means = rng.binomial(5, rates) / 5
        lower = np.quantile(weights[:, 1:] @ means / weights.sum(axis=1), 0.05)
        passed += lower >= 0.9
    assert asked.power >= 0.8
    assert passed / 500 == pytest.approx(asked.power, abs=0.055)


def test_a_plan_says_what_it_assumed():
    found = plan(0.9, 0.97, trials=5, icc=0.2)
    assert (found.icc, found.draws) == (0.2, 2_000)
    assert "(simulated, 2,000 runs; trials of one golden agree with correlation 0.2; " in found.sentence


def test_the_same_question_gets_the_same_answer():
    assert plan(0.8, 0.95, trials=3) == plan(0.8, 0.95, trials=3)


@pytest.mark.stories
def test_correlated_trials_need_more_goldens():
    apart, alike = (plan(0.8, 0.92, trials=5, icc=icc).goldens for icc in (0.0, 0.9))
    assert apart < alike
