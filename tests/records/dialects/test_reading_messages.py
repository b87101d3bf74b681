"""Transcripts as providers really give them, with their oddities."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rightcall.core.errors import InputError
from rightcall.records import Message, ToolCall, ToolResult
from rightcall.records.dialects import anthropic, read_messages

from .strategies import values


def test_anthropic_results_come_before_text_in_one_user_message():
    messages = (
        Message("system", "Be brief."),
        Message("tool", results=(ToolResult("1", "A"),)),
        Message("tool", results=(ToolResult("2", "B", is_error=True),)),
        Message("user", "and now?"),
    )
    [written] = anthropic.write_messages(messages)
    assert [block["type"] for block in written["content"]] == ["tool_result", "tool_result", "text"]
    assert written["content"][1]["is_error"] is True
    assert anthropic.system_text(messages) == "Be brief."


def test_an_anthropic_user_message_may_hold_text_before_the_result():
    blocks = [
        {"type": "text", "text": "hm"},
        {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "A"}]},
    ]
    assert read_messages([{"role": "user", "content": blocks}], "here") == (
        Message("tool", results=(ToolResult("1", "A"),)),
        Message("user", "hm"),
    )


def test_thinking_and_refusals_do_no_harm():
    raw = [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "…"},
                {"type": "tool_use", "id": "1", "name": "f", "input": "oops"},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "image", "source": {}}]}
            ],
        },
    ]
    assistant, tool = read_messages(raw, "here")
    assert assistant.calls == (ToolCall("f", None, "1", raw="oops"),)
    assert tool.results[0].output == [{"type": "image", "source": {}}]
    refusal = [{"role": "assistant", "content": None, "refusal": "I can't."}]
    assert read_messages(refusal, "here") == (Message("assistant", "I can't."),)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '"{}"', "null", '{"a": NaN}', '{"a": "\\ud800"}', "1e999", "[" * 5000]
)
def test_arguments_that_are_not_a_json_object_are_kept_as_text(text: str):
    raw = [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": text}}]}]
    assert read_messages(raw, "here")[0].calls == (ToolCall("f", None, "1", raw=text),)


def test_older_and_foreign_chat_spellings_are_read():
    raw = [
        {
            "role": "developer",
            "content": [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}],
        },
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "g", "arguments": {"a": 1}}}],
        },
    ]
    assert read_messages(raw, "here") == (
        Message("system", "Be brief."),
        Message("assistant", calls=(ToolCall("f"),)),
        Message("tool", results=(ToolResult("", "1", name="f"),)),
        Message("assistant", calls=(ToolCall("g", {"a": 1}),)),
    )


def test_responses_items_of_one_answer_are_one_message():
    raw = [
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "id": "fc_1", "call_id": "1", "name": "f", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "2", "name": "sh", "input": "ls"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "wait"}]},
        {"type": "function_call_output", "call_id": "1", "output": "A"},
        {"type": "custom_tool_call_output", "call_id": "2", "output": "B"},
    ]
    assert read_messages(raw, "here") == (
        Message("user", "hi"),
        Message("assistant", "wait", (ToolCall("f", {}, "1"), ToolCall("sh", None, "2", raw="ls"))),
        Message("tool", results=(ToolResult("1", "A"), ToolResult("2", "B"))),
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("[]", "messages must be a list, got a string"),
        ([1], "messages[0] must be an object, got a number"),
        ([{"role": "asistant", "content": "x"}], "did you mean 'assistant'?"),
        ([{"content": "x"}], "messages[0].role must be one of"),
        ([{"role": "user", "content": 7}], "messages[0].content must be a list, got a number"),
        ([{"role": "assistant", "tool_cals": []}], "did you mean 'tool_calls'?"),
        ([{"role": "assistant", "tool_calls": "x"}], "messages[0].tool_calls must be a list, got a string"),
        (
            [{"role": "assistant", "calls": [{"name": "f", "args": {}}]}],
            "unknown field 'args' in messages[0].calls[0]",
        ),
        ([{"role": "robot", "content": [{"type": "tool_use"}]}], "messages[0].role must be one of user"),
        (
            [{"role": "assistant", "content": [{"type": "hologram"}]}],
            "messages[0].content[0] is a part of type 'hologram'",
        ),
        ([{"role": "assistant", "content": [{"hologram": {}}]}], "content[0] is an object with 'hologram'"),
        ([{"type": "hologram_call", "id": "1"}], "messages[0] is a part of type 'hologram_call'"),
        (
            [{"role": "assistant", "tool_calls": [{"id": "1"}]}],
            "messages[0].tool_calls[0] is a call without a name",
        ),
        (
            [{"role": "user", "calls": [{"name": "f"}]}],
            "messages[0] is a message of role user that calls 'f'",
        ),
        (
            [{"role": "user", "content": [{"functionCall": {"name": "f"}}]}],
            "a message of role user that calls 'f'",
        ),
        (
            [{"role": "assistant", "content": "", "actions": [{"name": "f", "args": {}}]}],
            "messages[0].actions looks like it has a call of 'f'",
        ),
        (
            [{"type": "item_reference", "id": "fc_1"}],
            "messages[0] refers to the item 'fc_1', which may be a call",
        ),
    ],
)
def test_a_broken_transcript_is_refused_with_its_place(raw, words):
    with pytest.raises(InputError) as caught:
        read_messages(raw, "runs.jsonl:3")
    assert str(caught.value).startswith("runs.jsonl:3: ") and words in str(caught.value)


keys = st.sampled_from(
    ["role", "content", "type", "tool_calls", "calls", "results", "function", "name", "input", "call_id"]
)
odd = st.sampled_from(
    ["user", "assistant", "tool", "tool_use", "tool_result", "function_call", "message", "text"]
)


@given(
    st.lists(
        st.dictionaries(keys, odd | values | st.lists(st.dictionaries(keys, odd | values)), max_size=5),
        max_size=3,
    )
)
def test_hostile_transcripts_are_read_or_refused_but_never_crash(raw):
    try:
        read_messages(raw, "here")
    except InputError as refused:
        assert str(refused).startswith("here: ")
