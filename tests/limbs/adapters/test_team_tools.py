"""The tools of a team: whatever is right for the agent that has a tool is right for the team."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st
from jsonschema_rs import Draft202012Validator

from rightcall.limbs.adapters.team_tools import team_tools
from rightcall.records.tool import Tool
from tests.support.examples import examples

CITY = {"$defs": {"City": {"type": "string"}}, "properties": {"city": {"$ref": "#/$defs/City"}}}
PLACE = {"$defs": {"City": {"type": "integer"}}, "properties": {"city": {"$ref": "#/$defs/City"}}}


def is_valid(tool: Tool, arguments: dict[str, Any]) -> bool:
    """Raises when the schema itself is none."""
    return Draft202012Validator(tool.input_schema).is_valid(arguments)


def test_a_tool_that_agents_share_is_there_once():
    weather = Tool("weather", "Weather.", {"type": "object", **CITY})
    assert team_tools([weather, Tool("book"), weather]) == [weather, Tool("book")]


def test_references_of_each_definition_stay_its_own():
    (tool,) = team_tools([Tool("weather", "By name.", CITY), Tool("weather", "By number.", PLACE)])
    assert tool.description == "By name.\n\nBy number."
    assert is_valid(tool, {"city": "Hue"}) and is_valid(tool, {"city": 7})
    assert not is_valid(tool, {"city": None})


TYPES = st.sampled_from(["string", "integer", "boolean"])
VALUES: dict[str, Any] = {"string": "Hue", "integer": 3, "boolean": True}


@st.composite
def definitions(draw: st.DrawFn) -> Tool:
    types = draw(st.dictionaries(st.sampled_from("abc"), TYPES))
    required = [name for name in types if draw(st.booleans())]
    closed = {"additionalProperties": False} if draw(st.booleans()) else {}
    properties = {name: {"type": kind} for name, kind in types.items()}
    return Tool("t", "", {"type": "object", "properties": properties, "required": required, **closed})


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(definitions(), min_size=1, max_size=3), st.dictionaries(st.sampled_from("abc"), TYPES))
def test_a_call_is_valid_for_a_team_exactly_if_it_is_for_an_agent(tools, kinds):
    arguments = {name: VALUES[kind] for name, kind in kinds.items()}
    (merged,) = team_tools(tools)
    assert is_valid(merged, arguments) == any(is_valid(tool, arguments) for tool in tools)
