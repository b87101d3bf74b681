"""A tool for each provider: nothing refused is left, what was lost is said, and what was fine is untouched."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightcall.errors import ConfigError
from rightcall.lint import LintConfig, lint, read_text
from rightcall.lint.facts.providers import TARGETS
from rightcall.lint.portability.convert import Converted, convert
from rightcall.lint.portability.null_union import with_null, without_null
from rightcall.model import Tool
from tests.lint.strategies import clean_tools

ORDER = Tool(
    "shop.find order",
    "Finds orders of a customer.",
    {
        "type": "object",
        "properties": {
            "customer": {"type": "string", "format": "phone", "minLength": 3, "description": "Number."},
            "status": {"type": "string", "enum": ["open", "paid"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            "page": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
            "kind": {"const": "order"},
            "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["customer"],
        "anyOf": [{"required": ["status"]}, {"required": ["page"]}],
    },
)


def errors_for(converted: Converted, target: str) -> set[str]:
    tool = {
        "name": converted.name,
        "description": converted.description,
        "parameters": converted.input_schema,
    }
    report = lint(
        read_text(json.dumps([tool])), config=LintConfig(targets=(target,), select=("TD0", "TD101", "TD7"))
    )
    return {diagnostic.code for diagnostic in report.diagnostics if diagnostic.severity == "error"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_converted_tool_has_no_error_left_for_its_target(target: str) -> None:
    assert errors_for(convert(ORDER, target), target) == set()


@given(clean_tools(), st.sampled_from(TARGETS))
def test_every_clean_tool_can_be_sent_everywhere(tool: dict[str, Any], target: str) -> None:
    converted = convert(Tool(tool["name"], tool["description"], tool["input_schema"]), target)
    assert errors_for(converted, target) == set()
    again = convert(Tool(converted.name, converted.description, converted.input_schema), target)
    assert again.input_schema == converted.input_schema


@pytest.mark.parametrize("target", ["anthropic", "openai", "mcp", "bedrock"])
def test_what_a_target_takes_already_is_left_as_it_is(target: str) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}
    converted = convert(Tool("count", "Counts.", schema), target)
    assert (converted.input_schema, converted.losses) == (schema, ())


def test_openai_strict_requires_everything_and_takes_null_for_the_optional() -> None:
    schema = convert(ORDER, "openai-strict").input_schema
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    assert schema["properties"]["status"] == {"type": ["string", "null"], "enum": ["open", "paid", None]}
    assert schema["properties"]["customer"]["type"] == "string"


def test_anthropic_strict_says_bounds_in_the_text_and_leaves_the_optional_out() -> None:
    nullable = {
        "type": "object",
        "properties": {"n": {"type": ["integer", "null"], "minimum": 1}},
        "required": ["n"],
    }
    converted = convert(Tool("count", "Counts.", nullable), "anthropic-strict")
    assert converted.input_schema["properties"]["n"] == {"type": "integer", "description": "{minimum: 1}"}
    assert converted.input_schema["required"] == []
    assert [loss.keyword for loss in converted.losses] == ["minimum"]


def test_gemini_gets_its_own_words() -> None:
    converted = convert(ORDER, "gemini")
    assert converted.name == "shop_find_order"
    assert converted.input_schema["properties"]["kind"] == {"enum": ["order"]}
    assert "oneOf" not in json.dumps(converted.input_schema)


def test_every_loss_names_its_place() -> None:
    losses = {(loss.pointer, loss.keyword) for loss in convert(ORDER, "openai-strict").losses}
    assert {("", "anyOf"), ("", "name"), ("/properties/tags", "additionalProperties")} <= losses
    assert ("/properties/customer", "format") in losses and ("/properties/limit", "default") in losses


def test_what_was_written_for_rightcall_is_not_sent() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"x-rightcall": {"ignore": {"TD301": "x"}}, "type": "string"}},
    }
    assert "x-rightcall" not in json.dumps(convert(Tool("a", "b", schema), "mcp").input_schema)


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown target 'openai_strict'; did you mean 'openai-strict'"):
        convert(ORDER, "openai_strict")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "string", "enum": ["a"]},
        {"$ref": "#/$defs/x"},
        {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
    ],
)
def test_null_is_added_and_taken_away_again(schema: dict[str, Any]) -> None:
    assert without_null(with_null(schema)) == schema
    if "$ref" not in schema:
        assert jsonschema_rs.is_valid(with_null(schema), None)
