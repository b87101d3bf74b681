"""Damage that was done: fatal for a gate, never excused as flaky, said first by a comparison."""

from __future__ import annotations

import pytest

from rightcall.core.errors import ConfigError
from rightcall.decide.comparison import compare
from rightcall.decide.config import read_gate
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.verdict import decide
from rightcall.records.failure import FATAL


def outcomes(n: int, **harm: str) -> list[Outcome]:
    """The given number of goldens, all passing except those with a fatal code: g3="forbidden_call"."""
    found = []
    for i in range(n):
        code = harm.get(f"g{i}")
        found.append(Outcome(f"g{i}", (0.0,) if code else (1.0,), codes={code: 1} if code else {}))
    return found


@pytest.mark.parametrize("code", sorted(FATAL))
def test_one_is_too_many_whatever_the_rate(code):
    verdict = decide(read_gate({"min": 0.8}), outcomes(100, g3=code))
    assert (
        verdict.word == "FAIL"
        and verdict.reason.endswith("in 1 golden")
        and f"no {code}" in {c.name for c in verdict.checks}
    )


def test_a_gate_may_say_otherwise_but_not_both():
    gate = read_gate({"min": 0.8, "allow": ["forbidden_call"]})
    assert decide(gate, outcomes(100, g3="forbidden_call")).word == "PASS"
    assert decide(gate, outcomes(100, g3="wrong_state")).word == "FAIL"
    with pytest.raises(ConfigError, match="both in forbid and in allow"):
        read_gate({"forbid": ["wrong_state"], "allow": ["wrong_state"]})
    with pytest.raises(ConfigError, match="unknown code 'wrong_stat' in allow; did you mean 'wrong_state'"):
        read_gate({"allow": ["wrong_stat"]})


def test_new_damage_is_a_regression_whatever_p_is():
    found = compare(outcomes(100), outcomes(100, g3="forbidden_call"))
    assert found.change == "REGRESSED" and found.alarms == {"forbidden_call": ("g3",)} and found.p > 0.5
    assert found.sentence.startswith("B is worse than A: forbidden_call is new in 1 golden")


def test_old_damage_raises_no_alarm():
    before = outcomes(100, g3="forbidden_call")
    assert not compare(before, before).alarms
    assert not compare(before, outcomes(100)).alarms


def test_a_code_that_nothing_could_show_is_undecided_in_plain_words():
    verdict = decide(read_gate({"forbid": ["hijacked"]}), outcomes(100))
    assert verdict.word == "INCONCLUSIVE"
    assert "whether hijacked occurs is undecided: no attack was delivered" in verdict.sentence
