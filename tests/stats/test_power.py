"""Sizes: the smallest that will do, and no smaller."""

from __future__ import annotations

import itertools

import pytest
from statsmodels.stats.power import NormalIndPower

from rightcall.core.errors import InputError
from rightcall.stats.power import all_pass_n, gate_cuts, gate_n, gate_power, mde_paired, n_paired


def smallest_by_trying(theta: float, target: float, power: float) -> int:
    return next(n for n in itertools.count(1) if gate_power(n, theta, target)[0] >= power)


@pytest.mark.parametrize("theta", [0.5, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("gain", [0.06, 0.09])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.9])
def test_gate_size_is_the_first_that_has_the_power(theta, gain, power):
    n, k, reached = gate_n(theta, theta + gain, power)
    assert n == smallest_by_trying(theta, theta + gain, power)
    assert k == gate_cuts(n, theta)[0] and reached >= power


def test_a_size_of_hundreds_of_thousands_is_found_and_has_the_power():
    n, k, reached = gate_n(0.95, 0.951)
    assert gate_cuts(n, 0.95)[0] == k
    assert 0.8 <= reached == pytest.approx(gate_power(n, 0.95, 0.951)[0])


@pytest.mark.parametrize("theta", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
def test_a_flawless_run_of_that_size_passes_and_one_shorter_does_not(theta):
    n = all_pass_n(theta)
    assert gate_cuts(n, theta)[0] == n
    assert gate_cuts(n - 1, theta)[0] is None


def test_smallest_visible_difference_agrees_with_statsmodels():
    effect = NormalIndPower(ddof=0).solve_power(nobs1=100, alpha=0.05, power=0.8, ratio=0)
    assert mde_paired(100, 0.25) == pytest.approx(effect * 0.5, abs=1e-5)


def test_size_and_visible_difference_are_inverse():
    assert mde_paired(n_paired(0.03, 0.2), 0.2) == pytest.approx(0.03)


def test_target_below_min_is_refused():
    with pytest.raises(InputError, match="target must be above min"):
        gate_n(0.9, 0.8)
