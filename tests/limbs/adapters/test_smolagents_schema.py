"""The inputs of a smolagents tool: valid JSON Schema that allows what smolagents allows."""

from __future__ import annotations

import pytest
from jsonschema_rs import Draft202012Validator

from rightcall.limbs.adapters.smolagents import input_schema

SMOLAGENTS = {
    "anything": ({"type": "any"}, [1, "x", None, {}], []),
    "values of any type": (
        {"type": "object", "additionalProperties": {"type": "any"}}, [{"a": 1}, {"a": None}], ["x", 3],
    ),
    "a list of them": ({"type": "array", "items": {"type": "any"}}, [[1, "x"]], [{}]),
    "an image": ({"type": "image"}, ["image.png"], []),
    "text or nothing": ({"type": "string", "nullable": True}, ["x", None], [3]),
    "one of two types": ({"type": ["string", "integer"]}, ["x", 3], [None, {}]),
    "fields with the names of keywords": (
        {"type": "object", "properties": {"type": {"type": "string"}, "nullable": {"type": "any"}}},
        [{"type": "x", "nullable": 1}], [{"type": 3}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ["city", "type", "nullable"])
@pytest.mark.parametrize(("schema", "valid", "invalid"), SMOLAGENTS.values(), ids=SMOLAGENTS)
def test_the_types_of_smolagents_are_json_schema(name, schema, valid, invalid):
    is_valid = Draft202012Validator(input_schema({name: {"description": "What it is.", **schema}})).is_valid
    assert all(is_valid({name: value}) for value in valid)
    assert not any(is_valid({name: value}) for value in invalid)
