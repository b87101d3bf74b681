"""What is said before money is spent."""

from __future__ import annotations

import pytest

from rightcall.gate import plan, read_gate, warnings


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
        "pass rate: PASS is impossible, 10 goldens cannot show 80 % even if all pass; at least 14 are needed"
    )
    assert plan(0.8, 0.9, have=10).chance_to_pass == 0


def test_a_category_that_is_empty_or_too_small_is_named():
    gate = read_gate({"min": 0.8, "categories": {"negative": 0.9, "secondary": 0.5}})
    found = warnings(gate, ["golden"] * 100 + ["negative"] * 20)
    assert found[0] == "category secondary: there are no such goldens"
    assert found[1].startswith("category negative: PASS is impossible, 20 goldens cannot show 90 %")


def test_a_gate_that_can_pass_gives_no_warning():
    assert warnings(read_gate({"min": 0.8, "tags": {"x": 0.8}}), ["golden"] * 60, [["x"]] * 60) == []


def test_the_bare_rule_can_always_pass():
    assert warnings(read_gate({"min": 0.8, "rule": "point"}), ["golden"]) == []


def test_trials_save_goldens_but_never_below_a_flawless_run():
    assert plan(0.9, 0.95, trials=3).goldens < plan(0.9, 0.95).goldens
    assert plan(0.9, 0.99, trials=50, icc=0.0).goldens == plan(0.9, 0.99).perfect == 29


def test_cost_and_savings_are_told():
    found = plan(0.85, 0.95, have=100, cost_per_trial=0.02)
    assert found.cost_usd == pytest.approx(2.0)
    assert found.evalue_goldens == pytest.approx(52, abs=0.6)
    assert "Expected cost 2.00 USD." in found.sentence
