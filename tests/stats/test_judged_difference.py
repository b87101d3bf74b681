"""Differences of two agents from judged and labelled pairs, and trials of a golden: laws and edges."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.stats.judged_difference import judged_difference
from rightcall.stats.judged_rate import judged_rate
from rightcall.stats.special import binomial_draw
from tests.support.examples import examples

ABOUT = ("cases_like_these", "these_cases")
PAIR = st.tuples(st.sampled_from([True, False, None, 0.5]), st.sampled_from([True, False, (True, False)]))


def pairs(cases=120, labels=40, gain=0.4, seed=5):
    rng = random.Random(seed)
    truth = {i: (rng.random() < 0.4, rng.random() < 0.4 + gain) for i in range(cases)}
    judge = {i: tuple(x if rng.random() < 0.9 else not x for x in pair) for i, pair in truth.items()}
    return {i: truth[i] for i in rng.sample(range(cases), labels)}, judge


@settings(max_examples=examples(5), deadline=None)
@given(st.lists(PAIR, min_size=10, max_size=40), st.randoms(use_true_random=False), st.sampled_from(ABOUT))
def test_exchanging_the_agents_mirrors_the_difference(judgements, rng, about):
    judged = dict(enumerate(judgements))
    labels = {i: (rng.random() < 0.5, rng.random() < 0.6) for i in range(9)}
    there = judged_difference(labels, judged, about=about)
    back = judged_difference(
        {i: (b, a) for i, (a, b) in labels.items()}, {i: (b, a) for i, (a, b) in judged.items()}, about=about
    )
    assert (-back.difference, -back.high, -back.low) == pytest.approx(
        (there.difference, there.low, there.high)
    )
    assert (-back.upper, -back.lower) == pytest.approx((there.lower, there.upper))
    assert -1 <= there.lower <= there.difference <= there.upper <= 1
    assert there.low <= there.difference <= there.high


def test_a_good_judge_sharpens_the_difference():
    labels, judge = pairs()
    found = judged_difference(labels, judge)
    assert found.uses_judge and 40 < found.effective_labels < 120 and found.lower > 0
    alone = judged_difference(labels, dict.fromkeys(judge, (True, True)))
    assert not alone.uses_judge and found.high - found.low < alone.high - alone.low


def test_all_pairs_labelled_leave_no_doubt_about_them():
    labels, judge = pairs(labels=120)
    found = judged_difference(labels, judge, about="these_cases")
    mean = sum(b - a for a, b in labels.values()) / 120
    assert (found.difference, found.low, found.high, found.lower, found.upper) == pytest.approx((mean,) * 5)


def test_unsure_pairs_and_missing_verdicts_are_counted():
    labels, judge = pairs()
    found = judged_difference(labels | {200: (True, None)}, judge | {200: (None, True), 201: (None, None)})
    assert (found.pairs, found.labels, found.unsure, found.no_verdict) == (122, 40, 1, 2)


@pytest.mark.parametrize(
    ("labels", "problem"),
    [(dict.fromkeys(range(7), (True, False)), "7 pairs .*at least 8"), ({0: True}, "must be two of"), ({999: (True, True)}, "not in judgements: 999")],
)  # fmt: skip
def test_bad_pairs_are_errors(labels, problem):
    with pytest.raises(InputError, match=problem):
        judged_difference(labels, pairs()[1])


def trials(goldens=40, each=3, labels=36, seed=2):
    rng = random.Random(seed)
    cases = {(g, t): g for g in range(goldens) for t in range(each)}
    truth = {case: rng.random() < (0.95 if case[0] % 4 else 0.2) for case in cases}
    judge = {case: x if rng.random() < 0.85 else not x for case, x in truth.items()}
    return {case: truth[case] for case in rng.sample(sorted(cases), labels)}, judge, cases


def test_one_trial_of_each_golden_is_the_plain_estimate():
    labels, judge, _ = trials(each=1, goldens=120)
    plain, by_golden = judged_rate(labels, judge), judged_rate(labels, judge, goldens={c: c for c in judge})
    assert (plain.low, plain.lower, plain.upper) == (by_golden.low, by_golden.lower, by_golden.upper)


def test_trials_of_a_golden_are_worth_less_than_other_goldens():
    labels, judge, goldens = trials()
    apart, together = judged_rate(labels, judge), judged_rate(labels, judge, goldens=goldens)
    assert together.rate == apart.rate and together.low < apart.low and together.high > apart.high
    assert together.lower < apart.lower + 0.01 and together.upper > apart.upper - 0.01
    these = judged_rate(labels, judge, goldens=goldens, about="these_cases")
    assert (these.lower, these.upper) == (
        (plain := judged_rate(labels, judge, about="these_cases")).lower, plain.upper,
    )  # fmt: skip


def test_exchanging_pass_and_fail_mirrors_trials_too():
    labels, judge, goldens = trials()
    there = judged_rate(labels, judge, goldens=goldens)
    back = judged_rate(
        {c: not x for c, x in labels.items()}, {c: not x for c, x in judge.items()}, goldens=goldens
    )
    assert (1 - back.upper, 1 - back.lower) == pytest.approx((there.lower, there.upper), abs=0.02)


def test_every_case_needs_its_golden():
    labels, judge, goldens = trials()
    del goldens[3, 1]
    with pytest.raises(InputError, match=r"no golden for \(3, 1\)"):
        judged_rate(labels, judge, goldens=goldens)


def test_binomial_draws_have_the_right_mean_and_spread():
    rng = random.Random(1)
    draws = [binomial_draw(rng, 300, 0.3) for _ in range(2000)]
    mean = sum(draws) / 2000
    variance = sum((x - mean) ** 2 for x in draws) / 2000
    assert mean == pytest.approx(90, abs=0.8) and variance == pytest.approx(63, rel=0.12)
    assert binomial_draw(rng, 50, 0.0) == 0 and binomial_draw(rng, 50, 1.0) == 50
