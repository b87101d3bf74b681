"""Messages as OpenAI and Anthropic write them are read by a faster way to the same trajectory, or the same error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from rightcall.core.errors import InputError
from rightcall.datasets import trajectories
from rightcall.providers.openai import OpenAIProvider
from rightcall.records.dialects import openai

texts = st.none() | st.text(max_size=5)
arguments = st.sampled_from(
    ['{"city": "Hue"}', "{", "", "[1]", '{"n": 1e400}', '{"n": 1, "n": 2}', "[" * 300]
)
functions = st.fixed_dictionaries({"name": st.text(max_size=5), "arguments": arguments})
odd = (
    st.none()
    | st.integers()
    | st.lists(st.just({"type": "text", "text": "hi"}), max_size=1)
    | st.text(max_size=3)
)
calls = st.fixed_dictionaries(
    {"function": functions},
    optional={"id": st.text(max_size=2), "type": st.sampled_from(["function", "custom"])},
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(
            ["user", "assistant", "assistant", "tool", "tool", "system", "developer", "nobody"]
        )
    },
    optional={
        "content": texts | odd,
        "tool_calls": st.none() | st.lists(calls, max_size=2),
        "tool_call_id": st.none() | st.text(max_size=2),
        "name": texts,
        "refusal": texts,
        "annotations": st.just([]),
        "toolcalls": st.just([]),
        "vendor": odd,
    },
)
blocks = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("text"), "text": st.text(max_size=3)}, optional={"citations": st.none()}
    ),
    st.fixed_dictionaries(
        {"type": st.just("tool_use"), "name": st.text(max_size=3), "input": st.just({"city": "Hue"}) | odd},
        optional={"id": st.text(max_size=2), "cache_control": odd},
    ),
    st.fixed_dictionaries(
        {"type": st.just("tool_result"), "tool_use_id": st.text(max_size=2)},
        optional={"content": odd, "is_error": st.booleans() | st.none()},
    ),
    st.fixed_dictionaries({"type": st.sampled_from(["thinking", "image"]), "thinking": st.text(max_size=3)}),
    odd,
)
with_blocks = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"])},
    optional={"content": texts | st.lists(blocks, max_size=3), "id": st.text(max_size=2)},
)
lines = st.fixed_dictionaries(
    {
        "golden_id": st.just("g"),
        "messages": st.lists(messages, max_size=6) | st.lists(with_blocks, max_size=6),
    },
    optional={"output": texts, "trial": st.integers(-1, 2), "calls": st.just([{"name": "own"}])},
)


def read(line):
    """The trajectory of a line, or the words of the error."""
    try:
        return [recorded for _, recorded in trajectories._read("file", iter([(1, line)]))]
    except InputError as error:
        return str(error)


@given(lines)
def test_both_ways_give_the_same_trajectory_or_the_same_error(line):
    data = json.dumps(line).encode()
    fast = read(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trajectories, "TRIED", 0)
        assert fast == read(data)


@given(st.lists(messages, min_size=1, max_size=2), st.sampled_from(["stop", "tool_calls", "length", None]))
def test_an_answer_is_read_the_same_by_the_faster_way(answers, end):
    body = {"choices": [{"index": 0, "message": message, "finish_reason": end} for message in answers]}

    def read_body():
        try:
            return OpenAIProvider.read(body, "reply")
        except InputError as error:
            return str(error)

    fast = read_body()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai, "read_answer", lambda message: None)
        assert fast == read_body()


def in_usual_form(said):
    data = json.dumps({"golden_id": "g", "messages": said}).encode()
    return trajectories._in_usual_form(data, list(trajectories._WAYS), "here").trajectory


def test_the_usual_form_takes_the_faster_way():
    call = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    use = {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "21"}
    asked = {"role": "user", "content": "Weather?"}
    sunny = {"type": "text", "text": "Sunny."}
    openai = in_usual_form(
        [
            asked,
            {"role": "assistant", "content": None, "tool_calls": [call], "refusal": None, "annotations": []},
            {"role": "tool", "tool_call_id": "c1", "content": "21"},
            {"role": "assistant", "content": "Sunny."},
        ]
    )
    blocks = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    anthropic = in_usual_form([asked, *blocks, {"role": "assistant", "content": [sunny]}])
    assert openai == anthropic
    assert (openai.calls[0].output, openai.output) == ("21", "Sunny.")
