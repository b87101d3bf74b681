"""Agreement of raters: against statsmodels and published values; undefined is None."""

from __future__ import annotations

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from rightcall.stats.agreement import (
    Table,
    agreement_by_pair,
    agreement_table,
    kappa,
    kappa_interval,
    pair_agreement,
)


@pytest.mark.parametrize("table", [(20, 5, 10, 15), (45, 15, 25, 15), (25, 35, 5, 35), (1, 2, 3, 40)])
def test_kappa_is_that_of_statsmodels(table):
    a, b, c, d = table
    assert kappa(Table(*table)) == pytest.approx(cohens_kappa([[a, b], [c, d]]).kappa)
    assert kappa((20, 5, 10, 15)) == pytest.approx(0.4)  # Wikipedia's grant proposals


@pytest.mark.parametrize("table", [(20, 0, 10, 0), (20, 10, 0, 0), (0, 0, 0, 9), (0, 0, 0, 0)])
def test_kappa_of_a_constant_rater_is_undefined(table):
    agreement = pair_agreement(Table(*table))
    assert agreement.beyond_chance is agreement.low is agreement.high is None


def test_the_interval_of_kappa_lies_around_it_and_is_repeatable():
    table = Table(20, 5, 10, 15)
    low, high = kappa_interval(table)
    assert low < 0.4 < high and kappa_interval(table) == (low, high)
    wide_low, wide_high = kappa_interval(table, 0.99)
    assert wide_low < low and high < wide_high


def test_pairs_of_labellers_who_share_cases():
    ann = {1: True, 2: True, 3: False, 4: None, 5: False}
    bob = {1: True, 2: False, 3: False, 4: True}
    assert agreement_table(ann, bob) == Table(1, 1, 0, 1)
    pairs = agreement_by_pair({"bob": bob, "ann": ann, "eve": {9: True}})
    assert list(pairs) == [("ann", "bob")]
    assert (pairs["ann", "bob"].cases, pairs["ann", "bob"].share) == (3, pytest.approx(2 / 3))
