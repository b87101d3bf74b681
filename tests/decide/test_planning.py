"""What is said before money is spent."""

from __future__ import annotations

import random

import pytest

from rightcall.decide.config import read_gate
from rightcall.decide.sample_size import plan, warnings
from rightcall.decide.simulation import POPULATIONS, Population
from rightcall.stats.gaffke import gaffke_p_values, units as stats_units
from rightcall.stats.power import gate_power


@pytest.mark.parametrize(
    ("minimum", "target", "goldens", "failures"),
    [(0.8, 0.9, 82, 10), (0.9, 0.95, 179, 11), (0.95, 0.99, 124, 2)],
)
def test_sizes_are_those_of_the_published_table(minimum, target, goldens, failures):
    found = plan(minimum, target)
    assert (found.goldens, found.allowed_failures) == (goldens, failures)


def test_ten_goldens_cannot_show_80_percent():
    (warning,) = warnings(read_gate({"min": 0.8}), ["golden"] * 10)
    assert warning == (
        "pass rate: PASS is impossible, 10 goldens cannot show 80% even if all pass; at least 14 are needed"
    )
    assert plan(0.8, 0.9, have=10).chance_to_pass == 0


def test_a_category_that_is_empty_or_too_small_is_named():
    gate = read_gate({"min": 0.8, "by": {"categories": {"negative": 0.9, "secondary": 0.5}}})
    found = warnings(gate, ["golden"] * 100 + ["negative"] * 20)
    assert found[0] == "category secondary: no goldens match"
    assert found[1].startswith("category negative: PASS is impossible, 20 goldens cannot show 90%")


def test_a_gate_that_can_pass_gives_no_warning():
    assert warnings(read_gate({"min": 0.8, "by": {"tags": {"x": 0.8}}}), ["golden"] * 60, [["x"]] * 60) == []


def test_the_bare_rule_can_always_pass():
    assert warnings(read_gate({"min": 0.8, "rule": "point"}), ["golden"]) == []


@pytest.mark.stories
def test_trials_save_goldens_but_never_below_a_flawless_run():
    assert plan(0.9, 0.95, trials=3).goldens < plan(0.9, 0.95).goldens
    assert plan(0.8, 0.99, trials=50, icc=0.0).goldens >= plan(0.8, 0.99).perfect == 14


def intraclass(means: Population, trials: int) -> tuple[float, float]:
    """Mean, and the correlation of two trials, of a population of golden means."""
    mean = sum(v * w for v, w in zip(*means, strict=True))
    pairs = sum(w * v * (v * trials - 1) / (trials - 1) for v, w in zip(*means, strict=True))
    return mean, (pairs - mean**2) / (mean * (1 - mean))


@pytest.mark.parametrize("icc", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("name", POPULATIONS)
def test_both_populations_have_the_rate_and_the_correlation_that_were_asked_for(name, icc):
    assert intraclass(POPULATIONS[name](10, 0.9, icc), 10) == pytest.approx((0.9, icc))


def test_a_plan_holds_if_goldens_differ_gradually_and_if_some_never_pass():
    found = plan(0.9, 0.97, trials=5)
    assert found.goldens == max(found.by_population.values()) > min(found.by_population.values())
    assert f"{found.by_population['never pass']} if some never pass" in found.sentence
    chances = []
    for population in POPULATIONS.values():
        rng = random.Random(7)
        means = population(5, 0.97, 0.5)
        passed = 0
        for _ in range(600):
            units = stats_units(rng.choices(*means, k=found.goldens))
            passed += gaffke_p_values(units, 0.9, 1e-3)[0] <= 0.05
        chances.append(passed / 600)
    assert min(chances) > 0.8 - 3 * (0.16 / 600) ** 0.5


def test_a_claim_about_these_goldens_counts_their_trials():
    found = plan(0.9, 0.97, trials=10, about="these_goldens", have=30)
    assert (found.goldens, found.perfect, found.draws) == (9, 3, 0)
    assert found.chance_to_pass == pytest.approx(gate_power(300, 0.9, 0.97)[0])
    assert found.sentence.startswith("To show at least 90% on exactly these goldens when")


def test_an_impossible_pass_comes_without_the_savings_of_early_stops():
    found = plan(0.9, 0.95, have=12)
    assert found.sentence.endswith("With 12 PASS is impossible: add goldens or lower min.")
    assert found.evalue_goldens is None


def test_clusters_of_a_dataset_are_reckoned_with():
    apart = plan(0.8, 0.95, have=60)
    grouped = plan(0.8, 0.95, have=60, clusters=[3] * 20)
    assert grouped.chance_to_pass < apart.chance_to_pass
    assert "With 60 in 20 clusters the chance to PASS is" in grouped.sentence
    assert plan(0.8, 0.95, have=60, clusters=[30, 30]).chance_to_pass == 0


def test_warnings_speak_of_clusters_and_offer_the_other_claim():
    few = warnings(read_gate({"min": 0.9}), ["golden"] * 60, clusters=["a"] * 30 + ["b"] * 30)
    assert few == [
        "pass rate: PASS is impossible, 60 goldens in 2 clusters, the largest of 30, cannot show 90% even if all pass; "
        "at least 29 clusters of one size are needed"
    ]
    (trials,) = warnings(read_gate({"min": 0.9}), ["golden"] * 20, trials=10)
    assert trials.endswith(
        "to decide about exactly these goldens, set `about: these_goldens`, which counts their trials"
    )
    assert warnings(read_gate({"min": 0.9, "about": "these_goldens"}), ["golden"] * 20, trials=10) == []


def test_many_trials_of_few_goldens_are_warned_about():
    (found,) = warnings(read_gate({"min": 0.9}), ["golden"] * 30, trials=10)
    assert "30 goldens can show 90% only if nearly every trial passes" in found
    assert "46 leave room for one golden that fails" in found
    assert warnings(read_gate({"min": 0.9}), ["golden"] * 46, trials=10) == []


def test_savings_are_reported():
    found = plan(0.85, 0.95, have=100)
    assert found.evalue_goldens == pytest.approx(52, abs=0.6)
