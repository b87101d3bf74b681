"""Calls whose arguments were not recorded are scored by name, and never counted as right or wrong beyond that."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from rightcall.metrics.builtin.calls import ArgumentMatch, RedundantCalls, SchemaValidity
from rightcall.metrics.case_result import result_of, score_trajectory
from rightcall.records import Tool, ToolCall
from rightcall.records.case import TestCase
from tests.metrics.builders import a_golden, a_trajectory, codes, judged
from tests.metrics.strategies import calls, expected_calls

HANOI = {"tool": "get_weather", "args": {"city": "Hanoi"}}
ANY_CITY = {"tool": "get_weather"}


def unknown(name: str) -> dict[str, Any]:
    return {"name": name, "arguments": None}


def test_a_call_of_which_only_the_name_is_asked_is_right() -> None:
    assert judged([ANY_CITY], [unknown("get_weather")]).passed


def test_a_call_of_which_arguments_are_asked_is_neither_passed_nor_failed() -> None:
    result = result_of(a_golden(HANOI), 0, a_trajectory(unknown("get_weather")), {})
    assert not result.passed
    assert result.error == "arguments_unknown: arguments unknown for 1 of 1 call"
    assert result.metrics["parameter_accuracy"].error and result.metrics["overall"].error
    assert result.metrics["tool_f1"].value == 1.0 and not result.codes


def test_a_missing_tool_fails_the_case_whatever_the_arguments_were() -> None:
    result = result_of(a_golden(HANOI, "get_time"), 0, a_trajectory(unknown("get_weather")), {})
    assert not result.passed and not result.error
    assert [failure.code for failure in result.codes] == ["missing_call"]


def test_an_unexpected_tool_fails_the_case_and_is_not_a_malformed_call() -> None:
    verdict = judged([HANOI], [unknown("get_weather"), unknown("get_time")])
    assert codes(verdict) == ["unexpected_call"] and not verdict.error


def test_numbers_about_arguments_leave_unknown_calls_out_and_say_so() -> None:
    golden = a_golden(HANOI, {"tool": "get_time", "args": {"zone": "UTC"}})
    wrong = {"name": "get_time", "arguments": {"zone": "CET"}}
    result = result_of(golden, 0, a_trajectory(unknown("get_weather"), wrong), {})
    accuracy = result.metrics["parameter_accuracy"]
    assert (accuracy.value, accuracy.reason) == (0.0, "arguments unknown for 1 of 2 calls")
    assert [failure.code for failure in result.codes] == ["wrong_value"] and not result.error


def test_an_argument_that_must_not_be_passed_leaves_the_case_open() -> None:
    verdict = judged([{"tool": "pay", "forbidden_args": ["tip"]}], [unknown("pay")])
    assert verdict.error and not verdict.passed


def test_text_that_is_not_an_object_is_still_a_malformed_call() -> None:
    assert codes(judged([HANOI], [{"name": "get_weather", "arguments": None, "raw": "{"}])) == ["bad_json"]


@given(expected_calls(), calls(), st.data())
def test_forgetting_arguments_never_turns_a_pass_into_a_failure_or_back(
    expected: list[Any], called: list[Any], data: st.DataObject
) -> None:
    whole = judged(expected, called)
    hidden = [data.draw(st.booleans()) for _ in called]
    partly = judged(
        expected, [unknown(c["name"]) if gone else c for c, gone in zip(called, hidden, strict=True)]
    )
    assert partly.error or partly.passed == whole.passed
    assert (partly.numbers.tool_precision, partly.numbers.tool_recall) == (
        whole.numbers.tool_precision,
        whole.numbers.tool_recall,
    )


WEATHER = Tool("get_weather", input_schema={"type": "object", "properties": {"city": {"type": "string"}}})


@pytest.mark.parametrize(
    ("metric", "made", "value", "error"),
    [
        (SchemaValidity(), [None], 0.0, True),
        (SchemaValidity(), [None, {"city": "Hue"}], 1.0, False),
        (SchemaValidity(), [None, {"city": 7}], 0.0, False),
        (RedundantCalls(), [None], 1.0, False),
        (RedundantCalls(), [None, None], 0.0, True),
        (RedundantCalls(), [None, {"city": "Hue"}], 1.0, False),
        (ArgumentMatch(), [None], 0.0, True),
    ],
)
def test_metrics_without_expectations_say_when_they_cannot_tell(
    metric: Any, made: list[Any], value: float, error: bool
) -> None:
    done = a_trajectory(*({"name": "get_weather", "arguments": arguments} for arguments in made))
    score = metric.measure(TestCase.of(a_golden(*[HANOI] * len(made)), done, [WEATHER]))
    assert (score.value, bool(score.error)) == (value, error)
    assert "arguments unknown" in score.error or not error


def test_a_call_says_whether_its_arguments_are_known() -> None:
    assert ToolCall("a", None).arguments_unknown
    assert not ToolCall("a").arguments_unknown and not ToolCall("a", None, raw="{").arguments_unknown
    assert score_trajectory(a_golden(ANY_CITY), a_trajectory("get_weather")).unknown == 0
