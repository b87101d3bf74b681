"""The bound a gate decides by: against exact sums of fractions, the binomial, and simulated runs."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
import scipy.stats
from hypothesis import given, strategies as st

from rightcall.stats.clusters import cluster_se, effective_n, sample
from rightcall.stats.gaffke import (
    case_units,
    gaffke_bounds,
    gaffke_p_values,
    probability_below_zero,
    trial_units,
    units,
)
from rightcall.stats.intervals import clopper_pearson_bounds, clopper_pearson_p_values

trials = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), min_size=2, max_size=40)
graded = st.lists(st.floats(0, 1), min_size=2, max_size=40).map(lambda xs: [[x] for x in xs])
thetas = st.sampled_from([0.3, 0.5, 0.8, 0.95])


def exact(values: list[Fraction], theta: Fraction) -> Fraction:
    """P(Σ D_i x_i ≤ θ) for distinct values: the distribution function of a B-spline (Curry & Schoenberg 1966)."""
    knots = [Fraction(0), *values]
    n = len(values)
    return sum(
        (
            (theta - x) ** n / math.prod(other - x for k, other in enumerate(knots) if k != j)
            for j, x in enumerate(knots)
            if x < theta
        ),
        Fraction(0),
    )


@given(st.sets(st.integers(1, 999), min_size=1, max_size=14), st.integers(1, 999))
def test_p_values_are_those_of_exact_fractions(thousandths, theta):
    values = [Fraction(x, 1000) for x in thousandths]
    at = Fraction(theta, 1000)
    found, _ = gaffke_p_values(units(map(float, values)), float(at))
    assert found == pytest.approx(float(exact(values, at)), rel=1e-8, abs=1e-12)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), thetas)
def test_yes_and_no_are_clopper_pearson_by_either_way(kn, theta):
    k, n = kn
    found = units([1.0] * k + [0.0] * (n - k))
    assert gaffke_bounds(found) == clopper_pearson_bounds(k, n)
    integrated = probability_below_zero([(1 - theta, k), (-theta, n - k + 1)])
    assert integrated == pytest.approx(scipy.stats.binom.sf(k - 1, n, theta), rel=1e-8, abs=1e-300)


@given(st.one_of(trials, graded), thetas)
def test_bounds_contain_the_mean_and_agree_with_p_values(cases, theta):
    found = case_units(cases)
    low, high = gaffke_bounds(found)
    assert 0 <= low <= found.mean + 1e-9 and found.mean - 1e-9 <= high <= 1
    p_pass, p_fail = gaffke_p_values(found, theta)
    if abs(low - theta) > 1e-8:
        assert (low >= theta) == (p_pass <= 0.05)
    if abs(high - theta) > 1e-8:
        assert (high < theta) == (p_fail < 0.05)


@given(trials, st.data())
def test_bounds_are_mirrored_when_passes_and_failures_change_places(cases, data):
    groups = data.draw(st.lists(st.integers(0, 5), min_size=len(cases), max_size=len(cases)))
    low, high = gaffke_bounds(case_units(cases, groups))
    mirrored = gaffke_bounds(case_units([[1 - x for x in xs] for xs in cases], groups))
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-7)


@given(trials, st.data())
def test_nothing_depends_on_the_order_of_goldens_or_the_names_of_clusters(cases, data):
    groups = data.draw(st.lists(st.integers(0, 5), min_size=len(cases), max_size=len(cases)))
    order = data.draw(st.permutations(range(len(cases))))
    here = gaffke_p_values(case_units(cases, groups), 0.8)
    there = case_units([cases[i] for i in order], [f"c{groups[i]}" for i in order])
    assert gaffke_p_values(there, 0.8) == pytest.approx(here, rel=1e-7)


@given(trials, thetas, st.data())
def test_a_failed_trial_never_helps(cases, theta, data):
    i = data.draw(st.integers(0, len(cases) - 1))
    worse = [xs if j != i else [0] * len(xs) for j, xs in enumerate(cases)]
    before, after = (gaffke_p_values(case_units(c), theta) for c in (cases, worse))
    assert after[0] >= before[0] - 1e-9 and after[1] <= before[1] + 1e-9


@given(trials, st.integers(2, 4), thetas)
def test_repeating_every_trial_shows_nothing_more(cases, times, theta):
    again = [xs * times for xs in cases]
    assert gaffke_p_values(case_units(again), theta) == pytest.approx(
        gaffke_p_values(case_units(cases), theta), rel=1e-7
    )


@given(st.integers(1, 60), st.integers(1, 10), st.sampled_from([0.8, 0.9, 0.95]))
def test_goldens_show_no_more_than_flawless_ones_would(n, m, theta):
    nearly = [[1.0] * m] * (n - 1) + [[1.0] * (m - 1) + [0.0]]
    assert gaffke_p_values(case_units(nearly), theta)[0] >= theta**n - 1e-12


def test_claims_about_these_goldens_rest_on_all_their_trials():
    cases = [[1.0] * 10] * 27 + [[1.0] * 5 + [0.0] * 5] * 3
    assert gaffke_bounds(trial_units(cases)) == clopper_pearson_bounds(285, 300)
    assert gaffke_bounds(case_units(cases)).low < gaffke_bounds(trial_units(cases)).low


def test_a_golden_weighs_the_same_however_often_it_was_tried():
    unequal = trial_units([[1.0] * 4, [0.0]])
    assert unequal.mean == pytest.approx(0.5)
    assert gaffke_bounds(unequal).high >= gaffke_bounds(trial_units([[1.0], [0.0]])).high - 1e-9


def test_weights_and_clusters_of_the_same_sizes_are_one_thing():
    clustered = case_units([[1.0]] * 3 + [[0.5]] * 2 + [[0.0]], ["a"] * 3 + ["b"] * 2 + ["c"])
    weighted = case_units([[1.0], [0.5], [0.0]], weights=[3.0, 2.0, 1.0])
    assert gaffke_bounds(clustered) == pytest.approx(gaffke_bounds(weighted))


def test_thousands_of_unlike_scores_are_summed_exactly():
    rng = random.Random(3)
    values = [rng.betavariate(9, 1) for _ in range(3_000)]
    low, high = gaffke_bounds(units(values))
    mean = sum(values) / 3_000
    se = cluster_se(values)
    pulled = mean / 3_001, (1 - mean) / 3_001  # what the part that was not drawn takes away on average
    normal = mean - pulled[0] - 1.645 * se, mean + pulled[1] + 1.645 * se
    assert (low, high) == pytest.approx(normal, abs=1e-4)


def false_passes(groups, theta: float, runs: int) -> tuple[float, float]:
    """Share of runs at the threshold that PASS, by the gate and by Korn and Graubard's bound."""
    rng = random.Random(8)
    gate = 0
    usual = 0
    for _ in range(runs):
        cases = [[float(rng.random() < p) for _ in range(m)] for p, m in groups(rng)]
        gate += gaffke_p_values(case_units(cases), theta)[0] <= 0.05
        found = sample(cases)
        n = effective_n(found)
        usual += clopper_pearson_p_values(found.mean * n, n, theta)[0] <= 0.05
    return gate / runs, usual / runs


def test_a_few_hard_goldens_among_many_trials_do_not_fool_it():
    def groups(rng):
        return [(0.0 if rng.random() < 0.06 else 0.9 / 0.94, 10) for _ in range(30)]

    gate, usual = false_passes(groups, 0.9, 600)
    assert gate <= 0.05 < 0.1 < usual


def test_a_few_large_clusters_that_are_hard_do_not_fool_it():
    rng = random.Random(2)
    passed = 0
    for _ in range(600):
        large = [float(rng.random() < 1 - 0.18 * 118 / 42) for _ in range(3)]
        found = units([1.0] * 76 + large, [1.0] * 76 + [14.0] * 3)
        passed += gaffke_p_values(found, 0.82)[0] <= 0.05
    assert passed / 600 <= 0.05
