"""Judged rates in simulated runs, fixed seeds: a short form of `python -m benchmarks judged`, whose bounds are wider here
by what few draws need.
"""

from __future__ import annotations

import pytest
from benchmarks.judged import chosen_row, design_row, estimate, set_row
from benchmarks.judged_designs import LEVELS, designs, draw_run, judge_population, set_population
from numpy.random import default_rng

import rightcall as rc

VERDICT = {"fail": False, "split": [True, False], "none": None, "pass": True}


def test_counts_estimate_what_the_public_function_does():
    strata = draw_run(default_rng(4), set_population("A", (0, 1)), 200, 40).strata
    labels = {}
    judgements = {}
    for stratum in strata:
        for place in range(stratum.cases):
            case = f"{stratum.name} {place}"
            judgements[case] = VERDICT[stratum.name]
            if place < stratum.labels:
                labels[case] = place < stratum.passed
    used, uses_judge, shown = estimate(strata)
    found = rc.judged_rate(labels, judgements)
    assert (found.rate, found.low, found.high, found.uses_judge) == (*shown[:3], uses_judge)
    assert list(found.strata) == used


@pytest.mark.parametrize(("name", "judge", "n"), [("A", 1, 48), ("O", 0, 24)])
def test_a_judge_makes_the_estimate_better_than_labels_alone(name, judge, n):
    row = set_row(set_population(name, (judge,)), n, draws=120, seed=3)
    assert row["ratio"] < 0.95 and row["worth"] > 1.2 * n
    assert row["rogan_gladen"] > row["judged"]
    assert row["covers"] >= 0.92 and row["covers_these"] >= 0.92
    assert max(row["false_pass"], row["false_fail"]) <= 0.1


def test_thirty_chosen_labels_with_two_judges_do_what_48_random_ones_do_alone():
    alone, _, _, chosen, covers = chosen_row(set_population("O", (0, 1)), draws=300, seed=5)
    assert chosen < 1.05 * alone and covers >= 0.93


@pytest.mark.parametrize("place", [0, 100, 247, 404, 551, 698, 805])
def test_false_verdicts_at_the_threshold_are_rare(place):
    """Nominal 5%: of 150 draws, at most 15 with probability 99%."""
    row = design_row(*list(designs())[place], draws=150, seed=place)
    assert max(row["false_pass"], row["false_fail"]) <= 0.1
    assert row["ratio"] < 1.1 and row["width"] < 1.1


def test_a_useless_judge_is_seldom_used():
    row = design_row(400, 48, 0.7, "useless", draws=200, seed=6)
    assert row["used"] <= 0.15 and row["ratio"] == pytest.approx(1, abs=0.03)


def test_populations_have_their_rate():
    assert set_population("A", (0,)).rate == pytest.approx(0.296, abs=0.001)
    assert set_population("O", (0, 1)).rate == pytest.approx(0.297, abs=0.001)
    assert judge_population(0.7, (0.9, 0.6)).rate == pytest.approx(0.7)
    assert len(list(designs())) == 810 and len(LEVELS) == 4
