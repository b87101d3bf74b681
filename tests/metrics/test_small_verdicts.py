"""Verdicts that were wrong by a little: ulps, empty text, allowed calls; and the law that no failure is silent."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from rightcall.metrics.builtin.calls import SchemaValidity, ToolsSelected
from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.matching.matchers.values import Number
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.records import Tool
from rightcall.records.case import TestCase
from rightcall.records.failure import Failure, confusions
from tests.metrics.builders import a_golden, a_trajectory, codes, judged
from tests.metrics.strategies import calls, expected_calls


@pytest.mark.parametrize(
    ("matcher", "value", "accepted"),
    [
        (Number(19.99, abs=0.01), 20.0, True),
        (Number(19.99, abs=0.01), 20.0000001, False),
        (Number(0.1, abs=0.2), 0.1 + 0.2, True),
        (Number(0.3), 0.1 + 0.2, True),
        (Number(100.0, rel=0.07), 107, True),
        (Number(12345678901234567890), 12345678901234567891, False),
        (Number(10, abs=1), 10**400, False),
        (Number(10.0, abs=1), 10**400, False),
        (Number(10**400), 10**400, True),
        (Number(1.0), math.inf, False),
        (Number(0.0), 5e-324, True),
        (Number(0.0), 1e-300, False),
    ],
)
def test_a_tolerance_is_exact_to_the_last_digit(matcher: Number, value: Any, accepted: bool) -> None:
    assert matcher.score(value, 0) == accepted


@given(st.integers(0, 10**6), st.integers(0, 10**4), st.integers(1, 4))
def test_decimals_within_a_tolerance_are_accepted_at_its_very_edge(
    whole: int, step: int, digits: int
) -> None:
    scale = 10**digits
    wanted = whole / scale
    allowed = step / scale
    assert Number(wanted, abs=allowed).score((whole + step) / scale, 0) == 1.0
    assert Number(wanted, abs=allowed).score((whole + step + 1) / scale, 0) == 0.0


NOW = Tool("now", input_schema={"type": "object", "properties": {"zone": {"type": "string"}}})
PAY = Tool("pay", input_schema={"type": "object", "properties": {"to": {}}, "required": ["to"]})


@pytest.mark.parametrize("raw", ["", "  \n"])
def test_empty_argument_text_is_no_arguments_for_a_tool_that_needs_none(raw: str) -> None:
    tools = {"now": NOW, "pay": PAY}
    done = a_trajectory({"name": "now", "arguments": None, "raw": raw})
    assert score_trajectory(a_golden({"tool": "now", "args": {}}), done, tools).passed
    assert score_trajectory(a_golden({"tool": "now", "args": {}}), done).passed
    assert SchemaValidity().measure(TestCase(a_golden(), done, tools)).passed
    paid = a_trajectory({"name": "pay", "arguments": None, "raw": raw})
    assert codes(score_trajectory(a_golden({"tool": "pay"}), paid, tools)) == ["bad_json"]


def test_a_secondary_golden_whose_call_was_made_passes_when_other_calls_are_allowed() -> None:
    extra = [{"name": name} for name in "bcdefg"]
    assert judged(["a"], [{"name": "a"}, *extra], category="secondary", extra_calls="allow").passed
    assert not judged(["a"], [{"name": "a"}, *extra], category="secondary").passed
    missed = judged(["a"], extra, category="secondary", extra_calls="allow")
    assert not missed.passed and missed.failures


@given(
    expected_calls(),
    calls(),
    st.sampled_from(["golden", "secondary"]),
    st.sampled_from(["allow", "forbid"]),
    st.sampled_from(["strict", "score"]),
)
def test_a_case_that_fails_says_why(
    expected: list[Any], called: list[Any], category: str, extra: str, rule: Any
) -> None:
    golden = a_golden(*expected, category=category, extra_calls=extra)
    verdict = score_trajectory(golden, a_trajectory(*called), rules=ScoringRules(pass_rule=rule))
    assert verdict.passed or verdict.failures or not verdict.checked


def test_tools_selected_is_one_or_nought() -> None:
    case = TestCase(a_golden("a", "b"), a_trajectory("a"))
    score = ToolsSelected().measure(case)
    assert (score.value, score.passed) == (0.0, False) and "b() was not called" in score.reason
    assert ToolsSelected().measure(TestCase(a_golden("a"), a_trajectory("a", "c"))).value == 1.0


def test_a_call_that_is_named_for_its_turn_and_for_the_whole_is_one_confusion() -> None:
    wrong = Failure("wrong_tool", "a", actual="b", call=0)
    assert confusions([wrong, wrong, Failure("wrong_tool", "a", actual="b", call=1)]) == {("a", "b"): 2}
