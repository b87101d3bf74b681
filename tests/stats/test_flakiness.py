"""Flaky cases: named, measured, suggested for quarantine only when beyond doubt."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from rightcall.stats.power import disagreement, flake_class, flake_rate, suggests_quarantine


@given(st.integers(2, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_disagreement_is_the_share_of_unequal_pairs(nc):
    n, c = nc
    runs = [1] * c + [0] * (n - c)
    pairs = list(itertools.combinations(runs, 2))
    assert disagreement(n, c) == pytest.approx(sum(a != b for a, b in pairs) / len(pairs))


@pytest.mark.parametrize(("n", "c", "name"), [(3, 3, "stable_pass"), (3, 0, "stable_fail"), (3, 1, "flaky")])
def test_classes(n, c, name):
    assert flake_class(n, c) == name


def test_suite_rate_leaves_out_single_trials():
    assert flake_rate([(5, 3), (1, 1), (5, 5)]) == pytest.approx(0.3)
    assert flake_rate([(1, 1)]) is None


def test_quarantine_is_suggested_only_with_enough_evidence():
    assert suggests_quarantine(10, 5)
    assert not suggests_quarantine(4, 2)
    assert not suggests_quarantine(10, 10)
