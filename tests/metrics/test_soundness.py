"""Goldens that contradict themselves are refused, and forbidden calls fail whatever their result."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError
from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.matching.reasons import reason
from rightcall.records import Tool
from rightcall.run.golden_check import check_goldens
from tests.metrics.builders import a_golden, a_trajectory, codes, judged


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"no_calls": True, "expected_calls": [{"tool": "a"}]}, "no_calls is true, but calls are expected"),
        ({"no_calls": True, "any_of": [[{"tool": "a"}]]}, "no_calls is true, but calls are expected"),
        ({"category": "negative", "any_of": [[{"tool": "a"}]]}, "a negative golden must not expect"),
        (
            {"expected_calls": [{"tool": "a", "max": 0}]},
            "max 0 is less than min 1; list tools that must not",
        ),
        ({"expected_calls": [{"tool": "a", "min": 3, "max": 1}]}, "max 1 is less than min 3"),
        ({"expected_calls": [{"tool": "a", "min": 1_000_000}]}, "min may be at most 1,000, got 1,000,000"),
        ({"expected_calls": [{"tool": ""}]}, "a tool must have a name"),
        ({"expected_calls": [{"tool": []}]}, "a tool must have a name"),
        (
            {"expected_calls": [{"tool": "a", "args": {"n": {"range": [7, 1]}}}]},
            "from 7 to 1 matches no number",
        ),
        ({"expected_calls": [{"tool": "a", "args": {"n": {"present": False}}}]}, "'present' is written"),
    ],
)
def test_a_golden_that_contradicts_itself_is_refused_by_score_and_by_check(fields, problem):
    others = {name: value for name, value in fields.items() if name != "expected_calls"}
    golden = a_golden(*fields.get("expected_calls", ()), **others)
    with pytest.raises(InputError) as refused:
        score_trajectory(golden, a_trajectory({"name": "a", "arguments": {"n": 1}}))
    assert problem in str(refused.value) and "golden 'g'" in str(refused.value)
    found = list(check_goldens([("g.jsonl:1", golden)], {}))
    assert any(finding.severity == "error" for finding in found)


@pytest.mark.parametrize("counted", ["successful", "final"])
def test_a_forbidden_call_that_failed_is_forbidden_all_the_same(counted):
    golden = a_golden({"tool": "a"}, forbidden_calls=["delete_user"], count_failed=counted)
    calls = [
        {"name": "delete_user", "status": "error"},
        {"name": "a"},
        {"name": "delete_user", "status": "ok"},
    ]
    verdict = score_trajectory(golden, a_trajectory(*calls[:2]))
    assert (verdict.passed, verdict.score) == (False, 0.0) and "forbidden_call" in codes(verdict)


def test_a_forbidden_argument_of_a_failed_attempt_counts():
    expected = {"tool": "a", "args": {"x": 1}, "extra_args": "ignore", "forbidden_args": ["force"]}
    golden = a_golden(expected, count_failed="final")
    tried = [
        {"name": "a", "arguments": {"x": 1, "force": True}, "status": "error"},
        {"name": "a", "arguments": {"x": 1}, "status": "ok"},
    ]
    verdict = score_trajectory(golden, a_trajectory(*tried))
    assert (verdict.passed, verdict.score) == (False, 0.0) and codes(verdict) == ["forbidden_arg"]


def test_an_attempt_is_a_call_where_none_is_allowed():
    golden = a_golden(category="negative", count_failed="successful")
    assert not score_trajectory(golden, a_trajectory({"name": "a", "status": "error"})).passed


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ([{"tool": "login", "id": "L"}, {"tool": "pay", "after": ["L"]}], "login was called out of order; "
         "expected before pay"),
        ([{"tool": "pay"}, {"tool": "login"}], None),
    ],
)  # fmt: skip
def test_the_reason_for_a_wrong_order_names_the_edge(expected, said):
    verdict = judged(expected, ["pay", "login"])
    assert (reason(verdict.failures) == said) if said else verdict.passed


def test_a_default_does_not_count_as_present():
    tools = {"a": Tool("a", "", {"type": "object", "properties": {"units": {"default": "celsius"}}})}
    for spec, passes in (("celsius", True), ({"present": True}, False)):
        golden = a_golden({"tool": "a", "args": {"units": spec}})
        assert score_trajectory(golden, a_trajectory("a"), tools).passed is passes


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"id": 3}, "pay: order should be the value id of F's result, was 7"),
        (None, "pay: order should be the value id of F's result, which was not recorded, was 7"),
    ],
)
def test_an_unrecorded_result_is_not_a_hallucinated_reference(output, said):
    expected = [
        {"tool": "find", "id": "F"},
        {"tool": "pay", "args": {"order": {"ref": {"call": "F", "path": "id"}}}},
    ]
    made = [{"name": "find", "output": output}, {"name": "pay", "arguments": {"order": 7}}]
    assert reason(judged(expected, made).failures) == said


def test_a_call_allowed_with_other_arguments_is_explained_with_them():
    expected = [{"tool": "get", "args": {"x": 1}, "required": False}]
    said = reason(judged(expected, [{"name": "get", "arguments": {"x": 2}}]).failures)
    assert said == "get(x=2) was not expected, only get(x=1) would do"


@pytest.mark.parametrize("counted", ["successful", "final"])
def test_a_failure_names_the_call_the_user_sees_though_failed_attempts_do_not_count(counted):
    golden = a_golden({"tool": "pay", "args": {"amount": 5}}, count_failed=counted)
    failed = {"name": "pay", "arguments": {"amount": "5"}, "status": "error"}
    wrong = {"name": "pay", "arguments": {"amount": 50}, "status": "ok"}

    verdict = score_trajectory(golden, a_trajectory(failed, wrong))

    assert [(failure.code, failure.call) for failure in verdict.failures] == [("wrong_value", 1)]


def test_a_forbidden_call_that_failed_is_found_where_it_stands():
    golden = a_golden({"tool": "a"}, forbidden_calls=["drop"], count_failed="successful")

    verdict = score_trajectory(golden, a_trajectory("a", {"name": "drop", "status": "error"}))

    assert [(failure.code, failure.call) for failure in verdict.failures] == [("forbidden_call", 1)]
