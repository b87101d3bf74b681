"""Agreement of raters: against statsmodels and published values; undefined is None."""

from __future__ import annotations

import random

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from rightcall.stats.agreement import (
    Table,
    agreement_by_pair,
    agreement_table,
    kappa,
    kappa_interval,
    pair_agreement,
    rater_agreement,
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


def test_krippendorff_alpha_of_published_examples():
    """Krippendorff (2011), part A: binary data, two observers, ten units, no missing data: α = 0.095."""
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    ratings = [(bool(a), bool(b)) for a, b in zip(first, second, strict=True)]
    alpha = rater_agreement(ratings).beyond_chance
    assert alpha == pytest.approx(0.095, abs=5e-4)
    assert rater_agreement([*ratings, (True, None), (None, None)]).beyond_chance == alpha


def test_alpha_with_missing_ratings_is_one_minus_observed_over_expected():
    """By hand: cases TT, TF-, TFF, FF: coincidences TT 2, TF and FT 2 each, FF 3: of 9 ratings 4 T, 5 F."""
    ratings = [(True, True, None), (True, False, None), (True, False, False), (False, None, False)]
    assert rater_agreement(ratings).beyond_chance == pytest.approx(1 - (9 - 1) * 4 / (2 * 4 * 5))


def test_alpha_is_undefined_when_everyone_says_the_same():
    agreement = rater_agreement([(True, True, True)] * 9)
    assert (agreement.cases, agreement.share, agreement.beyond_chance, agreement.low) == (9, 1.0, None, None)
    assert rater_agreement([]).share is None


def test_alpha_of_three_raters_has_an_interval_around_it():
    rng = random.Random(4)
    cases = [(truth, [truth if rng.random() < 0.85 else not truth for _ in range(3)])
             for truth in (rng.random() < 0.4 for _ in range(80))]  # fmt: skip
    agreement = rater_agreement(votes for _, votes in cases)
    assert agreement.low < agreement.beyond_chance < agreement.high
    assert 0.3 < agreement.beyond_chance < 0.7
