"""A tool that failed in every call of a run is named with its most common error."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rightcall.metrics.failed_calls import MOST_TEXTS, error_text
from rightcall.metrics.tally import Tally
from rightcall.records import CaseResult, Failure, LedgerEntry, ToolCall, Trajectory

NO_KEY = "TAVILY_API_KEY is not set"


def a_result(
    *calls: ToolCall, ledger: tuple[LedgerEntry, ...] = (), codes: tuple[Failure, ...] = ()
) -> CaseResult:
    return CaseResult("g", 0, True, 1.0, {}, codes, trajectory=Trajectory(calls=calls, ledger=ledger))


def failed(output: object = NO_KEY, name: str = "search_web") -> ToolCall:
    return ToolCall(name, {}, "c1", status="error", output=output)


WORKED = ToolCall("search_web", {}, status="ok", output="found")


def warnings_of(*results: CaseResult, erring: tuple[str, ...] = ()) -> tuple[str, ...]:
    return Tally(erring=erring).add_all(results).summary().warnings


def test_a_tool_that_failed_in_every_call_is_named_with_its_most_common_error():
    results = [a_result(failed(), failed("timeout")), a_result(failed())]
    assert warnings_of(*results) == (f"search_web failed in 3 of 3 calls: {NO_KEY}",)
    assert warnings_of(a_result(failed()))[0].startswith("search_web failed in 1 of 1 call: ")


def test_the_error_is_what_a_tool_raised_whatever_its_framework_told_the_model():
    told = ToolCall("search_web", {}, status="error", output="Try again.", notes={"raised": NO_KEY})
    assert warnings_of(a_result(told)) == (f"search_web failed in 1 of 1 call: {NO_KEY}",)


NO_FAILURE = {
    "it worked once": [a_result(failed()), a_result(WORKED)],
    "an injected fault": [a_result(failed(), ledger=(LedgerEntry(1, "fault", "search_web", call_id="c1"),))],
    "refused arguments": [a_result(failed({"error": "invalid_args", "detail": "city is missing"}))],
    "no such tool": [a_result(failed(), codes=(Failure("unknown_tool", actual="search_web"),))],
}


@pytest.mark.parametrize("why", NO_FAILURE)
def test_what_a_tool_is_not_to_blame_for_is_not_said_of_it(why):
    assert warnings_of(*NO_FAILURE[why]) == ()


def test_an_error_that_a_mock_answers_with_was_asked_for():
    assert warnings_of(a_result(failed()), erring=("search_web",)) == ()


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"error": "upstream_error", "detail": NO_KEY, "hint": "tell the user"}, NO_KEY),
        ([{"type": "text", "text": NO_KEY}], NO_KEY),
        (f"Traceback (most recent call last):\n  File …\nKeyError: {NO_KEY}\n", f"KeyError: {NO_KEY}"),
        (None, "without a reason"),
    ],
)
def test_an_error_is_its_own_sentence(output, text):
    assert error_text(output) == text


CALLS = st.builds(
    failed, st.sampled_from([f"error {n:02}" for n in range(MOST_TEXTS + 5)]), st.sampled_from("ab")
)
ANY_CALL = CALLS | st.just(ToolCall("b", {}, status="ok"))


@given(st.lists(ANY_CALL, max_size=60), st.randoms())
def test_no_order_of_the_calls_matters(calls, shuffler):
    results = [a_result(call) for call in calls]
    shuffled = list(results)
    shuffler.shuffle(shuffled)
    assert Tally().add_all(shuffled).summary().failed_tools == Tally().add_all(results).summary().failed_tools
