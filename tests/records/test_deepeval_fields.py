"""What is passed under DeepEval's names is read back under them; the names are those of DeepEval 4.3.1."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, strategies as st

import rightcall as rc
from rightcall.core import codec
from rightcall.deepeval.test_case import LLMTestCase
from rightcall.records import Expectations
from rightcall.records.call import ToolCallType

CALL = {"name": "search", "description": "Finds", "reasoning": "asked", "output": {"n": 1}, "input_parameters": {"q": {"text": "x"}}}  # fmt: skip
SEARCH = rc.ToolCall(**CALL)
FIND = rc.ToolCall(name="find", type=ToolCallType.MCP)
OF_ALL = {
    "name": "greeting", "comments": "short", "context": ["a", "b"], "expected_labels": {"tone": "kind"},
    "expectations": Expectations(must=["greet"]), "custom_column_key_values": {"row": "7"},
    "additional_metadata": {"team": "shop"},
}  # fmt: skip
GOLDEN = {
    **OF_ALL, "input": "Hi", "expected_output": "Hello", "expected_tools": [SEARCH, FIND], "tools_called": [FIND],
    "actual_output": "Hey", "retrieval_context": ["c"], "source_file": "a.md", "token_cost": 0.1,
    "input_token_count": 7, "output_token_count": 3,
}  # fmt: skip
WITHOUT = {"source_file"}
CASE = {name: value for name, value in GOLDEN.items() if name not in WITHOUT} | {
    "completion_time": 1.5, "tags": ["a"], "multimodal": False, "flaky": False, "mcp_servers": None,
}  # fmt: skip
TURN = {
    "role": "assistant", "content": "Hello", "user_id": "u", "tools_called": [SEARCH], "retrieval_context": ["c"],
    "latency_ms": 7.0, "interrupted": True, "provider_transcript": "hello", "additional_metadata": {"k": 1},
}  # fmt: skip
TALK = {
    **OF_ALL, "scenario": "A greeting", "expected_outcome": "greeted", "user_description": "shy",
    "turns": [rc.Turn(role="user", content="Hi"), rc.Turn(role="assistant", content="Hello", tools_called=[FIND])],
}  # fmt: skip
RECORDS = {
    rc.ToolCall: CALL,
    rc.Golden: GOLDEN,
    LLMTestCase: CASE,
    rc.Turn: TURN,
    rc.ConversationalGolden: TALK,
    rc.ConversationalTestCase: {**TALK, "chatbot_role": "clerk", "tags": ["a"]},
}
FIELDS = [(record, name) for record, words in RECORDS.items() for name in words]


@pytest.mark.parametrize(("record", "name"), FIELDS, ids=lambda one: getattr(one, "__name__", one))
def test_a_field_reads_back(record, name):
    words = RECORDS[record]
    value = getattr(record(**words), name)
    expected = words[name]
    if name == "turns" and record is rc.ConversationalTestCase:
        assert [(turn.role, turn.content) for turn in value] == [
            (turn.role, turn.content) for turn in expected
        ]
        assert [[call.name for call in turn.tools_called or ()] for turn in value] == [[], ["find"]]
    else:
        assert (list(value) if isinstance(value, tuple) else value) == expected


def test_metadata_has_both_names():
    case = LLMTestCase(input="?", metadata={"k": 1})
    assert case.metadata == case.additional_metadata == {"k": 1}
    talk = rc.ConversationalTestCase(**RECORDS[rc.ConversationalTestCase])
    assert talk.metadata == {"team": "shop"}  # the role is not part of it


@pytest.mark.parametrize(
    ("golden", "tools"),
    [
        (rc.Golden(input="?"), []),  # other calls are forbidden
        (rc.Golden(input="?", additional_metadata={}), None),  # nothing is said about calls
        (rc.Golden(input="?", expected_tools=[]), []),
        (rc.Golden("?", expected_calls=[rc.ExpectedCall("a", {"x": {"regex": "b"}})]), [rc.ToolCall("a")]),
        (rc.Golden("?", expected_calls=[rc.ExpectedCall(["a", "b"])]), [rc.ToolCall("a")]),
    ],
)
def test_expected_tools_of_any_golden(golden, tools):
    assert golden.expected_tools == tools


def test_a_case_of_an_agents_run_reads_like_a_recorded_one():
    done = rc.Trajectory(calls=(SEARCH,), output="Hello", latency_ms=250.0)
    case = rc.TestCase(rc.Golden("Hi", expected_calls=[rc.ExpectedCall("search")]), done)
    assert (case.input, case.actual_output, case.completion_time) == ("Hi", "Hello", 0.25)
    assert case.tools_called == [SEARCH] and [tool.name for tool in case.expected_tools] == ["search"]
    assert LLMTestCase(input="?").tools_called == [] and LLMTestCase(input="?").actual_output == ""


def test_the_fields_are_no_part_of_a_file():
    golden = rc.Golden(input="?", expected_tools=[SEARCH])
    stored = msgspec.json.decode(codec.encode(golden))
    assert "expected_tools" not in stored and "additional_metadata" not in stored


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
calls = st.builds(
    lambda name, words, output: rc.ToolCall(name=name, input_parameters=words, output=output),
    st.text(min_size=1), st.dictionaries(st.text(), json_values, max_size=3), json_values,
)  # fmt: skip


@given(st.lists(calls, max_size=3), st.lists(calls, max_size=3))
def test_any_calls_read_back(expected, called):
    case = LLMTestCase(input="?", expected_tools=expected, tools_called=called)
    assert case.tools_called == called
    assert case.expected_tools == expected
