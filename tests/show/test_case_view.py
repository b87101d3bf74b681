"""One case: what is put side by side, and what is marked."""

from __future__ import annotations

import msgspec
import pytest

from rightcall.metrics.case_result import result_of
from rightcall.records import Approval, ExpectedCall, Golden, Message, ToolCall, Trajectory
from rightcall.show.view.case import CaseView, case_view
from rightcall.show.view.run import cases_of
from tests.show.conftest import Made
from tests.show.samples import called


@pytest.fixture(scope="module")
def cases(varied: Made) -> dict[str, CaseView]:
    return {result.golden_id: case_view(golden, result) for golden, result in cases_of(*varied)}


def seen(golden: Golden, trajectory: Trajectory) -> CaseView:
    import msgspec

    result = result_of(golden, 0, trajectory, {})
    return case_view(golden, msgspec.structs.replace(result, trajectory=trajectory))


def test_every_argument_is_marked_same_different_missing_or_extra() -> None:
    wanted = ExpectedCall("f", {"same": 1, "other": 2, "gone": 3})
    view = seen(
        Golden("?", expected_calls=(wanted,)), called(ToolCall("f", {"same": 1, "other": 9, "new": 4}))
    )
    rows = {row.name: (row.expected, row.actual, row.mark) for row in view.calls[0].arguments}
    assert rows == {
        "same": ("1", "1", "same"),
        "other": ("2", "9", "different"),
        "gone": ("3", None, "missing"),
        "new": (None, "4", "extra"),
    }


def test_calls_in_another_order_are_shown_next_to_the_expectation_they_meet(
    cases: dict[str, CaseView],
) -> None:
    view = cases["two-cities"]
    assert [(call.kind, call.arguments[0].actual) for call in view.calls] == [
        ("right", '"Paris"'),
        ("right", '"Rome"'),
    ]


def test_of_several_alternatives_the_one_that_was_met_is_shown(cases: dict[str, CaseView]) -> None:
    assert [(call.kind, call.expected_tool) for call in cases["either"].calls] == [("right", "get_forecast")]


@pytest.mark.parametrize(
    ("golden", "kind", "expected", "made"),
    [
        ("silent", "missing", "get_weather", ""),
        ("other-tool", "wrong_tool", "get_weather", "get_forecast"),
        ("invented", "invented", "get_weather", "weather_now"),
        ("chatty", "unexpected", "", "get_weather"),
        ("broken-json", "wrong_arguments", "get_weather", "get_weather"),
    ],
)
def test_the_outcome_of_a_call_is_named(
    cases: dict[str, CaseView], golden: str, kind: str, expected: str, made: str
) -> None:
    call = cases[golden].calls[0]
    assert (call.kind, call.expected_tool, call.tool) == (kind, expected, made)


def test_arguments_that_are_not_json_are_shown_as_they_came(cases: dict[str, CaseView]) -> None:
    assert cases["broken-json"].calls[0].raw == '{"city": Hanoi'


def test_the_waterfall_puts_tools_between_answers(cases: dict[str, CaseView]) -> None:
    bars = [(bar.label, bar.start_ms, bar.duration_ms) for bar in cases["conversation"].timings]
    assert bars == [
        ("model", 0.0, 600.0),
        ("get_weather", 600.0, 120.0),
        ("get_forecast", 600.0, 300.0),
        ("model", 900.0, 400.0),
    ]


def test_calls_that_do_not_count_are_shown_but_do_not_shift_the_others() -> None:
    golden = Golden("?", expected_calls=(ExpectedCall("f", {"a": 1}),), count_failed="successful")
    calls = (ToolCall("f", {"a": 9}, status="error"), ToolCall("f", {"a": 2}, status="ok"))
    view = seen(golden, called(*calls))
    assert [(row.actual, row.mark) for row in view.calls[0].arguments] == [("2", "different")]


def test_a_case_without_its_golden_still_shows_what_happened(varied: Made) -> None:
    _, result = next(case for case in cases_of(*varied) if case[1].golden_id == "conversation")
    view = case_view(None, result)
    assert view.input == "Weather in Hanoi now, and for 3 days"
    assert {call.tool for call in view.calls} == {"get_weather", "get_forecast"}


def test_an_argument_that_another_tool_does_not_have_is_missing_not_a_default():
    wanted = ExpectedCall("get_forecast", {"city": "Hue", "days": 3})
    golden = Golden("Weather in three days?", "later", expected_calls=(wanted,))
    result = result_of(golden, 0, done := called(ToolCall("get_weather", {"city": "Hue"})), {})
    (call,) = case_view(golden, msgspec.structs.replace(result, trajectory=done)).calls
    assert {row.name: (row.mark, row.note) for row in call.arguments} == {
        "city": ("same", ""),
        "days": ("missing", ""),
    }


def test_what_a_human_decided_about_a_call_is_shown():
    golden = Golden("Delete 7", id="g", expected_calls=[ExpectedCall("delete", {"id": 7})])
    for approval, note in (
        (Approval("edited", arguments={"id": 8}), 'edited: ran with {"id":8}'),
        (Approval("rejected", "Ask support."), "rejected: Ask support."),
        (Approval("waiting"), "waits for approval"),
    ):
        made = Trajectory(calls=(ToolCall("delete", {"id": 7}, approval=approval),))
        (call,) = seen(golden, made).calls
        assert (call.approval, [text.replace(" ", "").replace("\n", "") for text in call.notes]) == (
            approval.decision, [note.replace(" ", "")],
        )  # fmt: skip


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        (Message("user", "Weather?"), []),
        (Message("user", "Customer: Weather?"), ["Customer: Weather?"]),
        (Message("user", "Weather?", note="not heard"), ["not heard"]),
    ],
)
def test_what_was_sent_is_shown_where_it_is_not_the_input(message: Message, lines: list[str]) -> None:
    trajectory = Trajectory(messages=(message, Message("assistant", "31")), output="31")
    golden = Golden("Weather?", id="w")
    view = seen(golden, trajectory)
    assert [text for name, text in view.rules if name == "sent"] == lines
    assert view.messages[0].heading == message.note
