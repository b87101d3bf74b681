"""`above_floor`: the pass rate is points above the best trivial agent's, by the interval's lower end."""

from __future__ import annotations

import pytest

from rightcall.core.errors import ConfigError, InputError
from rightcall.decide.config import Gate, read_gate
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.verdict import Verdict, decide
from rightcall.records.floor import Floor, TrivialRate


def outcomes(passed: int, of: int) -> list[Outcome]:
    return [Outcome(f"g{n}", (float(n < passed),)) for n in range(of)]


def floor(passed: int, of: int = 100, left_out: int = 0) -> Floor:
    judged = of - left_out
    agents = {"nothing": TrivialRate(passed, judged), "first": TrivialRate(0, judged)}
    return Floor(passed / judged, passed / judged, "nothing", agents, of, left_out)


def verdict(
    passed: int, known: Floor | None, points: float = 20, quarantined: int = 0, **settings: object
) -> Verdict:
    gate = read_gate({"above_floor": points, **settings})
    return decide(gate, outcomes(passed, 100), {"floor": known, "quarantined": quarantined})


@pytest.mark.parametrize(
    ("passed", "at", "word"),
    [
        (90, 38, "PASS"),  # lower end 83.6%, required 58%
        (66, 38, "INCONCLUSIVE"),
        (45, 38, "FAIL"),
        (100, 85, "FAIL"),  # 105% can never be reached
        (100, 80, "INCONCLUSIVE"),  # 100% is never shown, nor ruled out
    ],
)
def test_the_interval_decides(passed, at, word):
    result = verdict(passed, floor(at))
    assert result.word == word
    assert "20 points above the floor" in result.sentence
    assert ("no agent can show" in result.sentence) == (at >= 80)


@pytest.mark.parametrize("known", [None, Floor(skipped="more than 20,000 goldens"), floor(0, 100, 100 - 1)])
def test_without_a_floor_there_is_no_pass(known):
    assert verdict(100, known).word != "PASS"
    assert verdict(100, known, rule="point").word != "PASS"


def test_the_point_rule_compares_the_observed_rate():
    assert verdict(58, floor(38), rule="point").word == "PASS"
    assert verdict(57, floor(38), rule="point").word == "FAIL"


def test_goldens_that_could_not_be_judged_count_against_either_decision():
    """38 of 100 were left out: the floor lies between 10 and 48%."""
    known = floor(10, 100, left_out=38)
    assert known.bounds() == (0.1, 0.48)
    assert verdict(60, known).word == "INCONCLUSIVE"
    assert verdict(90, known).word == "PASS"
    assert verdict(10, known).word == "FAIL"
    assert "38 goldens that could not be judged" in verdict(90, known).sentence


def test_quarantined_goldens_count_against_either_decision():
    assert floor(38).bounds(without=10) == (28 / 90, 38 / 90)
    assert floor(38).bounds(without=100) is None


def test_a_zero_means_above_the_floor_at_all():
    assert verdict(60, floor(38), points=0).word == "PASS"
    assert verdict(38, floor(38), points=0).word == "INCONCLUSIVE"


@pytest.mark.parametrize(
    ("gate", "problem"),
    [
        ({"above_floor": 0.2}, "above_floor is in points"),
        (
            {"above_floor": 20, "min": 0.8, "target": 0.9, "stop": "evalue"},
            "above_floor and baseline require all",
        ),
        ({"above_floor": 100}, "above_floor"),
        ({"above_floor": -1}, "above_floor"),
        ({"above_floor": "20"}, "above_floor"),
    ],
)
def test_a_wrong_setting_is_refused(gate, problem):
    with pytest.raises((ConfigError, InputError), match=problem):
        read_gate(gate)


def test_it_is_one_of_several_rules_and_corrected_with_them():
    result = decide(Gate(min=0.5, above_floor=20), outcomes(90, 100), {"floor": floor(38)})
    assert (result.word, result.hypotheses) == ("PASS", 2)
    assert [check.name for check in result.checks] == ["pass rate", "above floor"]
