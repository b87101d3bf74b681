"""The baseline without a model."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rightcall.providers.base import ModelRequest, Prompt
from rightcall.providers.keyword import ToolIndex, extract, words
from rightcall.providers.resolver import resolve
from rightcall.records import Message, Tool, ToolResult

from .samples import DELETE, PROMPT, WEATHER, a_request, ask

FORECAST = Tool(
    "get_forecast",
    "Weather forecast for the coming days. 天气预报。 Dự báo thời tiết.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
)
TOOLS = (WEATHER, FORECAST, DELETE)


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        (
            "Give me the 5-day forecast for Ho Chi Minh City",
            "get_forecast",
            {"city": "Ho Chi Minh City", "days": 5},
        ),
        (
            "What is the weather in Paris in fahrenheit?",
            "get_weather",
            {"city": "Paris", "units": "fahrenheit"},
        ),
        ("Please delete account ACC-42 now", "delete_account", {"account_id": "ACC-42"}),
        ("Dự báo thời tiết ở Hà Nội 3 days", "get_forecast", {"city": "Hà Nội", "days": 3}),
        ("北京的天气预报", "get_forecast", {"city": "北京"}),
    ],
)
def test_the_tool_is_chosen_by_its_words_and_filled_from_the_text(text, tool, arguments):
    chosen = ToolIndex(TOOLS).choose(text)
    assert chosen is not None and (chosen.name, extract(chosen, text)) == (tool, arguments)


@pytest.mark.parametrize("text", ["", "Tell me a joke", "Who wrote Hamlet?", "你好", "Xin chào"])
def test_without_shared_words_no_tool_is_called(text):
    reply = ask(resolve("keyword:"), a_request(text))
    assert reply.message.calls == () and reply.message.content


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "number"}, "pay 1,250.75 dollars", 1250.75),
        ({"type": "integer"}, "exactly 2.5 of them", None),
        ({"type": "string"}, 'search for "red shoes" in Paris', "red shoes"),
        ({"type": "string", "format": "date"}, "on 2026-11-15 please", "2026-11-15"),
        ({"type": "string", "format": "email"}, "write to an@example.com.", "an@example.com"),
        ({"enum": ["low", "very_high"]}, "with very high priority", "very_high"),
        ({"type": "array", "items": {"type": "integer"}}, "add 1, 2 and 30", [1, 2, 30]),
        ({"type": "boolean"}, "do not value it", False),
        ({"type": "object"}, "whatever", None),
    ],
)
def test_values_are_read_off_the_text_by_their_type(schema, text, value):
    tool = Tool("f", "", {"type": "object", "properties": {"value": schema}, "required": ["value"]})
    assert extract(tool, text).get("value") == value


def test_two_parameters_do_not_share_one_place():
    schema = {"type": "object", "properties": {k: {"type": "integer"} for k in "ab"}, "required": ["a", "b"]}
    assert extract(Tool("add", "", schema), "add 3 and 4") == {"a": 3, "b": 4}


def test_after_a_result_the_result_is_the_answer():
    said = (Message("user", "weather in Hue"), Message("tool", results=(ToolResult("c", {"celsius": 31}),)))
    assert ask(resolve("keyword:"), ModelRequest(PROMPT, said)).message.content == '{"celsius":31}'


@given(
    st.text(max_size=60),
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=5),
        lambda s: (
            st.lists(s, max_size=2)
            | st.dictionaries(
                st.sampled_from(["type", "enum", "items", "format", "properties", "required"]), s, max_size=3
            )
        ),
    ),
)
def test_no_text_and_no_schema_breaks_it(text, schema):
    tool = Tool("find", text, {"type": "object", "properties": {"x": schema}, "required": ["x"]})
    reply = ask(resolve("keyword:"), a_request(text, prompt=Prompt("", (tool,))))
    assert len(reply.message.calls) <= 1 and words(text) == words(text)
