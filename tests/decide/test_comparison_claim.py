"""The words of a comparison never say more, or other, than its numbers: one table, and a law over random runs."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, strategies as st

from rightcall.decide.baseline import Baseline, BaselineRule
from rightcall.decide.comparison import compare
from rightcall.decide.comparison_claim import ComparisonClaim
from rightcall.decide.golden_outcomes import Outcome

TABLE = [
    # difference, p, p worse, p not worse, lower bound, margin, units -> change, words, margin shown
    (0.08, 0.01, 1.0, 0.02, 0.01, 0.0, 50, "IMPROVED", "B is better than A (p = 0.01)", ""),
    (-0.08, 0.01, 0.01, 1.0, -0.13, 0.0, 50, "REGRESSED", "B is worse than A (p = 0.01)", ""),
    (-0.12, 0.001, 0.04, 1.0, -0.2, 0.05, 50,
     "REGRESSED", "B is worse than A by more than 5 points (p = 0.04)", ""),
    (-0.06, 0.01, 0.4, 0.3, -0.11, 0.05, 50,
     "INCONCLUSIVE", "B is worse than A (p = 0.01); whether by more than 5 points is not settled",
     "not worse by more than 11 points with 95% confidence"),
    (-0.02, 0.02, 1.0, 0.01, -0.0401, 0.05, 400,
     "NON_INFERIOR", "B is worse than A (p = 0.02), but not by more than 5 points (p = 0.01)",
     "not worse by more than 4.1 points with 95% confidence"),
    (0.0, 1.0, 1.0, 0.01, -0.031, 0.05, 100,
     "NON_INFERIOR", "B is not worse than A by more than 5 points (p = 0.01)",
     "not worse by more than 3.1 points with 95% confidence"),
    (0.04, 0.06, 1.0, 0.03, 0.004, 0.0, 100,
     "NON_INFERIOR", "B is not worse than A (p = 0.03)", "with 95% confidence above +0.4 points"),
    (0.0, 1.0, 1.0, 0.6, -0.031, 0.0, 100,
     "INCONCLUSIVE", "no significant difference between A and B (p = 1)",
     "not worse by more than 3.1 points with 95% confidence"),
    (-0.01, 0.7, 1.0, 0.2, -0.06, 0.05, 50,
     "INCONCLUSIVE",
     "no significant difference between A and B (p = 0.7), and whether B is worse by more than 5 points is not settled",
     "not worse by more than 6 points with 95% confidence"),
    (-0.05, 0.0503, 1.0, 0.9, -0.1, 0.0, 50,
     "INCONCLUSIVE", "no significant difference between A and B (p = 0.0503)",
     "not worse by more than 10 points with 95% confidence"),
    (-0.05, 0.0497, 0.0497, 0.9, -0.1, 0.0, 50, "REGRESSED", "B is worse than A (p = 0.05)", ""),
    (1.0, 0.125, 1.0, 0.06, -0.05, 0.0, 4,
     "INCONCLUSIVE", "undecided between A and B", "not worse by more than 5 points with 95% confidence"),
    (-1.0, 1.0, 1.0, None, None, 0.05, 1,
     "INCONCLUSIVE", "undecided between A and B, and whether B is worse by more than 5 points is not settled", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("difference", "p", "p_worse", "p_not_worse", "low", "margin", "units", "change", "words", "shown"), TABLE
)
def test_numbers_give_words(difference, p, p_worse, p_not_worse, low, margin, units, change, words, shown):
    claim = ComparisonClaim(difference, p, p_worse, p_not_worse, low, margin, 0.05, units)
    assert (claim.change, claim.words(), claim.margin_shown()) == (change, words, shown)


COUNTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25)


def rerun(counts: list[int]) -> list[Outcome]:
    return [Outcome(f"g{i}", (1.0,) * c + (0.0,) * (3 - c)) for i, c in enumerate(counts)]


@given(COUNTS, st.sampled_from([0.0, 0.02, 0.05, 0.2, 0.5]), st.sampled_from([0.05, 0.1, 0.0625]))
@example([(3, 2)] * 25, 0.2, 0.05)
@example([(3, 3)] * 25, 0.05, 0.05)
@example([(3, 0)] * 5, 0.0, 0.0625)
def test_sentence_and_numbers_agree_in_compare_and_in_the_gate(counts, margin, alpha):
    before = rerun([a for a, _ in counts])
    after = rerun([b for _, b in counts])
    found = compare(before, after, margin=margin, alpha=alpha)
    check = BaselineRule(Baseline(before), margin).look(after, alpha)
    passes = found.change in ("IMPROVED", "NON_INFERIOR")
    assert check.word == ("PASS" if passes else "FAIL" if found.change == "REGRESSED" else "INCONCLUSIVE")
    gate = check.sentence.replace("this run", "B").replace("the baseline", "A")
    for sentence in (found.sentence, gate):
        says_better = "B is better than A" in sentence
        says_worse = re.search(r"B is worse than A( by more than [\d.]+ points?)? \(p = ", sentence)
        assert says_better == (found.p <= alpha and found.difference > 0) == (found.change == "IMPROVED")
        assert bool(says_worse) == (found.p <= alpha and found.difference < 0)
        assert "no significant difference" not in sentence or found.p > alpha
        assert (found.change == "INCONCLUSIVE" and margin > 0) == ("is not settled" in sentence)
        if shown := re.search(r"not worse by more than ([\d.]+) points with", sentence):
            assert found.bound_low is not None and float(shown[1]) / 100 >= -found.bound_low - 1e-6
    if says_worse and says_worse[1]:
        assert found.change == "REGRESSED" and found.difference < -margin


def test_runs_with_many_errors_are_not_compared():
    before = [Outcome(f"g{i}", (float(i % 2),)) for i in range(40)]
    after = [Outcome(f"g{i}", (1.0,)) if i % 4 else Outcome(f"g{i}", errors=1) for i in range(40)]
    found = compare(before, after)
    assert found.p < 0.05 and found.change == "INCONCLUSIVE"
    assert found.sentence.startswith("not settled: 10 of 40 goldens got no answer in B (25%, at most 5%")
    assert compare(before, after, max_error_rate=0.3).change == "IMPROVED"
