"""Calls meet their results, whatever the ids are like."""

from __future__ import annotations

from rightcall.records import Message, ToolCall, ToolResult
from rightcall.records.dialects import trajectory_from_messages


def asked(*calls: ToolCall, text: str = "") -> Message:
    return Message("assistant", text, calls)


def told(*results: ToolResult) -> Message:
    return Message("tool", results=results)


def outputs(*messages: Message) -> list[tuple[str, object]]:
    return [(call.status, call.output) for call in trajectory_from_messages(messages).calls]


def test_results_join_their_calls_by_id_in_any_order():
    calls = asked(ToolCall("a", id="1"), ToolCall("b", id="2"))
    assert outputs(calls, told(ToolResult("2", "B", True), ToolResult("1", "A"))) == [
        ("ok", "A"),
        ("error", "B"),
    ]


def test_step_is_the_index_among_assistant_messages():
    found = trajectory_from_messages(
        [Message("user", "hi"), asked(ToolCall("a"), ToolCall("b")), asked(ToolCall("c"))]
    )
    assert [call.step for call in found.calls] == [0, 0, 1]


def test_results_without_ids_join_by_position():
    calls = asked(ToolCall("a", id="1"), ToolCall("b"))
    assert outputs(calls, told(ToolResult("", "A"), ToolResult("", "B"))) == [("ok", "A"), ("ok", "B")]


def test_a_result_with_an_id_goes_to_a_call_that_lost_its_id_but_never_to_another_id():
    calls = asked(ToolCall("a", id="1"), ToolCall("b"))
    assert outputs(calls, told(ToolResult("9", "B"), ToolResult("8", "stray"))) == [
        ("not_run", None),
        ("ok", "B"),
    ]


def test_an_id_used_twice_in_one_turn_is_answered_in_order():
    calls = asked(ToolCall("a", id="1"), ToolCall("b", id="1"))
    assert outputs(calls, told(ToolResult("1", "A"), ToolResult("1", "B"))) == [("ok", "A"), ("ok", "B")]


def test_an_id_used_again_in_a_later_turn_means_the_later_call():
    found = outputs(asked(ToolCall("a", id="1")), asked(ToolCall("a", id="1")), told(ToolResult("1", "late")))
    assert found == [("not_run", None), ("ok", "late")]


def test_the_output_is_what_the_assistant_said_last():
    messages = [
        asked(ToolCall("a", id="1"), text="let me look"),
        told(ToolResult("1", "A")),
        asked(text="21 °C"),
    ]
    assert trajectory_from_messages(messages).output == "21 °C"
    assert trajectory_from_messages(messages[:1]).output == "let me look"
    assert trajectory_from_messages([*messages, asked(ToolCall("b"))]).output == ""
