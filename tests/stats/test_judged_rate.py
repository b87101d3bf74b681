"""The rate people would give, from labels and a judge: its laws, its bounds against other computations, its errors."""

from __future__ import annotations

import json
import random
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as scipy_stats

import rightcall as rc
from rightcall.core.errors import InputError
from rightcall.stats.intervals import clopper_pearson, clopper_pearson_bounds
from rightcall.stats.judged_rate import JudgedRate, judged_rate
from rightcall.stats.judged_strata import LabelStratum, join_unlabelled
from rightcall.stats.melded_bounds import beta_binomial, convolve, melded_bounds, melded_p_values
from tests.support.examples import examples

ABOUT = ("cases_like_these", "these_cases")
VERDICTS = st.sampled_from(
    [True, False, None, 0.0, 0.4, 1.0, (True, False), (True, True, None), (False, False)]
)


@st.composite
def runs(draw, least=8):
    """(labels, judgements) of a small run, with at least one verdict and 8 labels that decide."""
    verdicts = draw(st.lists(VERDICTS, min_size=least + 1, max_size=60))
    judgements = dict(enumerate(verdicts)) | {0: draw(st.booleans())}
    cases = draw(st.permutations(sorted(judgements)))[: draw(st.integers(least, len(judgements)))]
    labels = {case: draw(st.sampled_from([True, False])) for case in cases}
    return labels, judgements


def figures(estimate: JudgedRate) -> dict:
    return {name: value for name, value in asdict(estimate).items() if not name.startswith("_")}


def flip(verdict):
    if isinstance(verdict, tuple):
        return tuple(flip(vote) for vote in verdict)
    return None if verdict is None else not verdict if isinstance(verdict, bool) else 1 - verdict


@settings(max_examples=examples(60), deadline=None)
@given(runs(), st.sampled_from(ABOUT), st.randoms(use_true_random=False))
def test_other_names_and_another_order_of_cases_change_nothing(run, about, rng):
    labels, judgements = run
    names = {
        case: f"case {place}" for place, case in enumerate(rng.sample(sorted(judgements), len(judgements)))
    }
    shuffled = dict(rng.sample([(names[case], v) for case, v in judgements.items()], len(judgements)))
    plain = judged_rate(labels, judgements, about=about)
    renamed = judged_rate({names[case]: label for case, label in labels.items()}, shuffled, about=about)
    assert figures(plain) == figures(renamed)
    assert (plain.lower, plain.upper) == (renamed.lower, renamed.upper)


@settings(max_examples=examples(60), deadline=None)
@given(runs(), st.sampled_from(ABOUT))
def test_exchanging_pass_and_fail_everywhere_mirrors_the_result(run, about):
    labels, judgements = run
    there = judged_rate(labels, judgements, about=about)
    back = judged_rate(
        {c: not x for c, x in labels.items()}, {c: flip(v) for c, v in judgements.items()}, about=about
    )
    assert (1 - back.rate, 1 - back.high, 1 - back.low) == pytest.approx((there.rate, there.low, there.high))
    assert (1 - back.upper, 1 - back.lower) == pytest.approx((there.lower, there.upper), abs=1e-9)
    assert (back.uses_judge, back.kappa) == (there.uses_judge, pytest.approx(there.kappa))
    assert back.effective_labels == pytest.approx(there.effective_labels)


@settings(max_examples=examples(60), deadline=None)
@given(runs(), st.sampled_from(ABOUT))
def test_the_rate_lies_within_both_intervals(run, about):
    estimate = judged_rate(*run, about=about)
    assert 0 <= estimate.lower <= estimate.rate <= estimate.upper <= 1
    assert 0 <= estimate.low <= estimate.rate <= estimate.high <= 1
    assert sum(s.cases for s in estimate.strata) == estimate.cases == len(run[1])
    assert sum(s.labels for s in estimate.strata) == estimate.labels == len(run[0])


@settings(max_examples=examples(40), deadline=None)
@given(runs())
def test_when_every_case_is_labelled_the_rate_is_theirs(run):
    _, judgements = run
    labels = {case: random.Random(case).random() < 0.6 for case in judgements}
    share = sum(labels.values()) / len(labels)
    these = judged_rate(labels, judgements, about="these_cases")
    assert (these.low, these.lower, these.high, these.upper) == pytest.approx((these.rate,) * 4)
    like = judged_rate(labels, judgements)
    assert (like.rate, these.rate) == pytest.approx((share, share))
    assert (like.lower, like.upper) == pytest.approx(
        clopper_pearson_bounds(sum(labels.values()), len(labels)), abs=1e-9
    )


@settings(max_examples=examples(60), deadline=None)
@given(runs(), st.floats(0.5, 0.99))
def test_a_judge_that_is_not_used_changes_nothing(run, conf):
    labels, judgements = run
    estimate = judged_rate(labels, judgements, conf=conf)
    alone = judged_rate(labels, dict.fromkeys(judgements, True), conf=conf)
    passed = sum(labels.values())
    n = len(labels)
    assert not alone.uses_judge and alone.effective_labels == pytest.approx(n)
    assert (alone.low, alone.high) == pytest.approx(clopper_pearson(passed, n, conf), abs=1e-9)
    assert (alone.lower, alone.upper) == pytest.approx(clopper_pearson_bounds(passed, n, 1 - conf), abs=1e-9)
    if not estimate.uses_judge:
        assert (estimate.rate, estimate.low, estimate.lower) == (alone.rate, alone.low, alone.lower)


@pytest.mark.parametrize(
    ("n", "passed", "cases"), [(12, 0, 40), (12, 5, 40), (24, 23, 100), (9, 9, 30), (20, 7, 20)]
)
def test_one_stratum_of_these_cases_gives_the_exact_hypergeometric_bounds(n, passed, cases):
    lower, upper = melded_bounds([LabelStratum("all", cases, n, passed)], "these_cases", 0.05)
    tail = lambda total: scipy_stats.hypergeom.sf(passed - 1, cases, total, n)  # noqa: E731
    head = lambda total: scipy_stats.hypergeom.cdf(passed, cases, total, n)  # noqa: E731
    possible = range(passed, cases - n + passed + 1)
    assert lower * cases == pytest.approx(min(total for total in possible if tail(total) > 0.05))
    assert upper * cases == pytest.approx(max(total for total in possible if head(total) > 0.05))


def test_distributions_are_those_of_scipy():
    for n, a, b in [(1, 1, 1), (40, 3, 9), (300, 24, 1), (2000, 40, 30)]:
        expected = scipy_stats.betabinom(n, a, b).pmf(range(n + 1))
        assert beta_binomial(n, a, b) == pytest.approx(expected, abs=1e-12)
    first = beta_binomial(50, 3, 4)
    second = beta_binomial(80, 9, 2)
    total = [0.0] * 131
    for i, p in enumerate(first):
        for j, q in enumerate(second):
            total[i + j] += p * q
    assert list(convolve(first, second)) == pytest.approx(total, abs=1e-15)


def test_bounds_agree_with_draws_of_their_definition():
    strata = [
        LabelStratum("fail", 200, 20, 3),
        LabelStratum("split", 60, 8, 4),
        LabelStratum("pass", 140, 14, 13),
    ]
    rng = np.random.default_rng(3)
    passes = sum(
        s.passed + rng.binomial(s.cases - s.labels, rng.beta(s.passed, s.labels - s.passed + 1, 150_000))
        for s in strata
    )
    rate = rng.beta(passes, 400 - passes + 1)
    assert melded_bounds(strata, "these_cases", 0.05).low == pytest.approx(
        float(np.quantile(passes / 400, 0.05)), abs=0.003
    )
    lower = melded_bounds(strata, "cases_like_these", 0.05).low
    assert lower == pytest.approx(float(np.quantile(rate, 0.05)), abs=0.001)


@pytest.mark.parametrize("about", ABOUT)
def test_p_values_agree_with_the_bounds(about):
    strata = [LabelStratum("fail", 90, 10, 1), LabelStratum("pass", 110, 14, 13)]
    lower, upper = melded_bounds(strata, about, 0.05)
    for theta in (0.3, lower - 0.006, lower + 0.006, 0.5, upper - 0.006, upper + 0.006):
        below, above = melded_p_values(strata, about, theta)
        assert (below <= 0.05) == (lower >= theta) and (above < 0.05) == (upper < theta)


def a_run(cases=200, labels=48, right=0.9, seed=1):
    rng = random.Random(seed)
    truth = {case: rng.random() < 0.4 for case in range(cases)}
    judgements = {case: (x if rng.random() < right else not x) for case, x in truth.items()}
    return {case: truth[case] for case in rng.sample(range(cases), labels)}, judgements


def test_a_good_judge_makes_labels_worth_more_and_says_so():
    estimate = rc.judged_rate(*a_run())
    assert estimate.uses_judge and estimate.effective_labels > 70 and estimate.kappa > 0.6
    assert estimate.sentence == (
        f"48 labels: people pass {estimate.rate:.0%} of these answers (95%: {estimate.low:.0%}–{estimate.high:.0%}). "
        f"The judge says {estimate.judged:.0%}. With it the labels are worth {estimate.effective_labels:.0f}."
    ).replace("%–", "–")


def test_a_useless_judge_is_not_used_and_the_sentence_says_so():
    estimate = rc.judged_rate(*a_run(right=0.5))
    assert not estimate.uses_judge and [s.name for s in estimate.strata] == ["all"]
    assert "This judge adds nothing (κ " in estimate.sentence


def test_a_judge_that_is_always_wrong_is_not_used():
    labels, judgements = a_run(right=0.0)
    assert not rc.judged_rate(labels, judgements).uses_judge


def test_three_labels_of_each_kind_are_needed_to_rate_a_judge():
    judgements = {case: case >= 5 for case in range(100)}
    for failures, used in [(2, False), (3, True)]:
        labels = dict.fromkeys(range(10, 40), True) | dict.fromkeys(range(failures), False)
        assert rc.judged_rate(labels, judgements).uses_judge is used


def test_the_judge_s_own_rate_counts_majorities_and_a_tie_is_no_verdict():
    labels, judgements = a_run()
    votes = {case: [verdict, verdict, not verdict] for case, verdict in judgements.items()}
    assert rc.judged_rate(labels, votes).judged == rc.judged_rate(labels, judgements).judged
    tied = {case: 0.5 if case % 5 == 0 else verdict for case, verdict in judgements.items()}
    rest = [verdict for case, verdict in judgements.items() if case % 5]
    assert rc.judged_rate(labels, tied).judged == sum(rest) / len(rest)


def test_no_verdict_is_a_stratum_and_never_a_failure():
    labels, judgements = a_run()
    silent = {case: None if case % 5 == 0 else verdict for case, verdict in judgements.items()}
    failed = {case: False if verdict is None else verdict for case, verdict in silent.items()}
    estimate = rc.judged_rate(labels, silent)
    assert [s.name for s in estimate.strata] == ["fail", "none", "pass"] and estimate.no_verdict == 40
    assert estimate.judged == sum(v for v in silent.values() if v is not None) / 160
    assert estimate.rate != rc.judged_rate(labels, failed).rate


def test_a_vote_without_a_verdict_leaves_the_case_to_the_others():
    labels, judgements = a_run()
    votes = {case: [verdict, None] for case, verdict in judgements.items()}
    assert figures(rc.judged_rate(labels, votes)) == figures(rc.judged_rate(labels, judgements))


@pytest.mark.parametrize("about", ABOUT)
def test_known_outcomes_alone_are_exact(about):
    known = {case: case < 30 for case in range(100)}
    estimate = rc.judged_rate({}, {}, known=known, about=about)
    assert estimate.rate == pytest.approx(0.3) and estimate.labels == 0
    exact = clopper_pearson_bounds(30, 100) if about == "cases_like_these" else (0.3, 0.3)
    assert (estimate.lower, estimate.upper) == pytest.approx(exact, abs=1e-9)


def test_known_failures_count_and_their_labels_do_not():
    labels, judgements = a_run()
    known = dict.fromkeys(range(1000, 1200), False) | dict.fromkeys(list(labels)[:4], False)
    estimate = rc.judged_rate(labels, judgements, known=known)
    assert (estimate.cases, estimate.labels) == (400, 44)
    assert estimate.strata[-1] == LabelStratum("known", 204, 204, 0)
    assert estimate.upper < rc.judged_rate(labels, judgements).upper


def test_known_failures_sharpen_labels_that_all_fail():
    judgements = {case: case % 2 == 0 for case in range(300)}
    labels = dict.fromkeys(range(24), False)
    alone = rc.judged_rate(labels, judgements, about="these_cases")
    with_known = rc.judged_rate(
        labels, judgements, known=dict.fromkeys(range(300, 600), False), about="these_cases"
    )
    assert with_known.rate == alone.rate == 0
    assert with_known.high < 0.55 * alone.high and with_known.upper < 0.55 * alone.upper


def test_labels_of_people_who_saw_the_verdict_do_not_rate_the_judge():
    labels, judgements = a_run()
    seen = {case for case, label in labels.items() if label == judgements[case]}
    estimate = rc.judged_rate(labels, judgements, saw_judge=seen)
    assert estimate.rate == rc.judged_rate(labels, judgements).rate
    assert estimate.kappa != rc.judged_rate(labels, judgements).kappa


def test_unsure_labels_are_counted_and_decide_nothing():
    labels, judgements = a_run()
    others = [case for case in judgements if case not in labels][:5]
    estimate = rc.judged_rate(labels | dict.fromkeys(others), judgements)
    assert (estimate.labels, estimate.unsure) == (48, 5)
    assert figures(estimate) | {"unsure": 0} == figures(rc.judged_rate(labels, judgements))


def test_the_record_is_json_with_every_figure():
    document = json.loads(json.dumps(rc.judged_rate(*a_run()).document()))
    assert document["format"] == "rightcall/judged/1"
    assert document["kappa_low"] < document["kappa"] < document["kappa_high"]
    assert set(document["strata"][0]) == {"name", "cases", "labels", "passed"}
    assert document["lower"] <= document["rate"] <= document["upper"]


@pytest.mark.parametrize(
    ("strata", "names"),
    [
        ([("fail", 50, 9), ("split", 5, 0), ("pass", 20, 9)], ["fail", "split+pass"]),
        ([("fail", 50, 9), ("split", 5, 0), ("none", 9, 1), ("pass", 20, 9)], ["fail", "split+none", "pass"]),
        ([("fail", 50, 0), ("pass", 20, 9)], ["fail+pass"]),
        (
            [("fail", 20, 7), ("none", 5, 0), ("pass", 20, 9)],
            ["fail+none", "pass"],
        ),  # as many cases: fewer labels
        ([("fail", 20, 9), ("none", 5, 0), ("pass", 20, 9)], ["fail+none+pass"]),  # no side is taken
        ([("fail", 5, 0), ("split", 30, 8), ("pass", 5, 0)], ["fail+split+pass"]),
        ([("fail", 50, 9), ("split", 0, 0), ("none", 0, 0), ("pass", 20, 9)], ["fail", "pass"]),
    ],
)
def test_a_stratum_without_a_label_joins_its_smaller_neighbour(strata, names):
    joined = join_unlabelled(LabelStratum(name, cases, labels, 0) for name, cases, labels in strata)
    assert [stratum.name for stratum in joined] == names


def test_chosen_labels_are_weighted_by_their_strata():
    judgements = {case: case < 100 for case in range(400)}
    plan = rc.label_plan(judgements, 40, seed=2)
    labels = {case: judgements[case] if case % 7 else not judgements[case] for case in plan.cases}
    estimate = rc.judged_rate(labels, judgements, chosen=plan.stratum)
    rates = {s.name: s.passed / s.labels for s in estimate.strata}
    assert estimate.uses_judge and estimate.rate == pytest.approx(0.25 * rates["pass"] + 0.75 * rates["fail"])
    with pytest.raises(InputError, match="the plan's strata are of other judgements"):
        rc.judged_rate(labels, {case: case >= 100 for case in range(400)}, chosen=plan.stratum)


@pytest.mark.parametrize(
    ("labels", "judgements", "options", "problem"),
    [
        (dict.fromkeys(range(7), True), dict.fromkeys(range(50), True), {}, "7 labels .*at least 8"),
        ({}, {}, {}, "no judgement at all"),
        (dict.fromkeys(range(9), True), dict.fromkeys(range(50)), {}, "all 50 are without a verdict"),
        (dict.fromkeys("abcdefgh", True), {"a": True}, {}, "7 cases that are not in judgements: b, c, d"),
        ({0: "pass"}, {0: True}, {}, r"labels\[0\]: must be true, false or None, got 'pass'"),
        ({0: True}, {0: "pass"}, {}, r"judgements\[0\]: must be true, false, a share"),
        ({0: True}, {0: 1.5}, {}, "got 1.5"),
        ({0: True}, {0: float("nan")}, {}, "got nan"),
        ({0: True}, {0: [[True]]}, {}, "got "),
        ([True] * 9, {0: True}, {}, "labels must map case ids to values, got list"),
        ({0: True}, {0: True}, {"about": "all"}, "about must be one of cases_like_these, these_cases"),
        ({0: True}, {0: True}, {"conf": 95}, "conf must lie strictly between 0 and 1"),
    ],
)  # fmt: skip
def test_bad_input_is_an_error_that_says_where(labels, judgements, options, problem):
    with pytest.raises(InputError, match=problem):
        rc.judged_rate(labels, judgements, **options)


@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize("about", ABOUT)
def test_labels_that_are_all_equal_leave_doubt(label, about):
    estimate = rc.judged_rate(
        dict.fromkeys(range(24), label), {c: c % 3 == 0 for c in range(90)}, about=about
    )
    assert estimate.rate == label and estimate.kappa is None and estimate.kappa_low is None
    assert estimate.high - estimate.low > 0.05 and estimate.upper - estimate.lower > 0.05
