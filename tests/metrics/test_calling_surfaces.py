"""What is right does not depend on the way in which a call is made."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.metrics.matching.judge_case import score_calls
from rightcall.records import ExpectedCall, Golden, Trajectory
from tests.support.calling_surfaces import SURFACES, anthropic_turns, direct, of_messages, told
from tests.support.examples import examples

NAMES = st.sampled_from(("refund", "search", "clarify"))
ARGUMENTS = st.fixed_dictionaries(
    {}, optional={"id": st.integers(1, 2), "why": st.sampled_from(("late", "lost"))}
)
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), max_size=4)


@st.composite
def goldens(draw: st.DrawFn) -> Golden:
    expected = tuple(ExpectedCall(name, arguments or None) for name, arguments in draw(CALLS))
    kind = draw(st.sampled_from(("plain", "ordered", "forbidding", "bounded", "negative")))
    if kind == "negative" or not expected:
        return Golden("Do it.", "g", category="negative", no_calls=True)
    if kind == "forbidding":
        return Golden("Do it.", "g", expected_calls=expected, forbidden_calls=("clarify",))
    if kind == "bounded":
        return Golden("Do it.", "g", expected_calls=expected, max_calls=2, extra_calls="allow")
    return Golden("Do it.", "g", expected_calls=expected, order="strict" if kind == "ordered" else "any")


@settings(max_examples=examples(1000), deadline=None)
@given(goldens(), CALLS)
def test_a_golden_is_judged_alike_through_every_surface(golden: Golden, calls: list[Any]) -> None:
    expected = told(score_calls(golden, direct(calls)))
    for name, surface in SURFACES.items():
        trajectory = surface(calls)
        own = [call.name for call in trajectory.calls if call.kind not in ("plumbing", "program")]
        assert own == [call for call, _ in calls], name
        assert told(score_calls(golden, trajectory)) == expected, name


@pytest.mark.parametrize(
    "name", ["tool_search", "code_execution", "ToolSearch", "program", "tool_search_tool_bm25"]
)
def test_an_ordinary_call_with_the_name_of_plumbing_is_a_call(name: str) -> None:
    golden = Golden("Do it.", "g", expected_calls=(ExpectedCall("refund"),))
    verdict = score_calls(golden, of_messages(anthropic_turns([(name, {}), ("refund", {})])))
    assert not verdict.passed and "unexpected_call" in {failure.code for failure in verdict.failures}


@pytest.mark.parametrize("surface", SURFACES)
def test_a_forbidden_call_is_found_on_every_surface(surface: str) -> None:
    golden = Golden("Do it.", "g", expected_calls=(ExpectedCall("refund"),), forbidden_calls=("delete",))
    verdict = score_calls(golden, SURFACES[surface]([("refund", {}), ("delete", {})]))
    assert "forbidden_call" in {failure.code for failure in verdict.failures}


def test_a_golden_that_names_plumbing_judges_it() -> None:
    trajectory: Trajectory = SURFACES["after_search"]([("refund", {})])
    wanted = Golden(
        "Do it.", "g", expected_calls=(ExpectedCall("tool_search_tool_bm25"), ExpectedCall("refund"))
    )
    assert score_calls(wanted, trajectory).passed and not score_calls(wanted, direct([("refund", {})])).passed
    refused = Golden(
        "Do it.", "g", expected_calls=(ExpectedCall("refund"),), forbidden_calls=("tool_search_tool_bm25",)
    )
    assert not score_calls(refused, trajectory).passed


def test_a_search_says_what_it_found() -> None:
    for surface in ("after_search", "after_search_responses"):
        search = SURFACES[surface]([("refund", {}), ("search", {})]).calls[0]
        assert search.kind == "plumbing" and search.notes["found"] == ["refund", "search"], surface


@pytest.mark.parametrize(
    ("content", "is_error"),
    [
        ([{"type": "tool_reference", "tool_name": "x"}, {"type": "text", "text": "deleted"}], False),
        ([{"type": "text", "text": "x", "more": [{"type": "tool_reference", "tool_name": "x"}]}], False),
        ([{"type": "tool_reference", "tool_name": "x"}], True),
    ],
)
def test_no_other_result_makes_a_call_plumbing(content: Any, is_error: bool) -> None:
    turns = anthropic_turns([("delete", {})])
    turns[1]["content"][0] |= {"content": content, "is_error": is_error}
    trajectory = of_messages(turns)
    assert trajectory.calls[0].kind == "direct"
    assert not score_calls(Golden("Hi", "g", category="negative", no_calls=True), trajectory).passed
