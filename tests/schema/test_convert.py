"""A tool for each provider: nothing refused is left, what was lost is said, and what was fine is untouched."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, strategies as st

from rightcall.core.errors import ConfigError
from rightcall.lint.config import LintConfig
from rightcall.lint.engine import lint
from rightcall.lint.fixer import convert, convert_all
from rightcall.lint.source.read import read_text
from rightcall.model import Tool
from rightcall.schema.convert import Converted, request
from rightcall.schema.provider_limits import FORMATS, TARGETS
from rightcall.schema.types import with_null, without_null
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


def parameter(schema: Any, target: str, **definitions: Any) -> tuple[Any, list[tuple[str, str]]]:
    """One required parameter as the target gets it, and the losses at it by place and keyword."""
    root = {"type": "object", "properties": {"p": schema}, "required": ["p"], "$defs": definitions}
    converted = convert(Tool("x", "y", root), target)
    told = [
        (loss.pointer.removeprefix("/properties/p"), loss.keyword)
        for loss in converted.losses
        if loss.pointer.startswith("/properties/p")
    ]
    return converted.input_schema["properties"]["p"], told


@pytest.mark.parametrize("target", [name for name in FORMATS if name not in TARGETS])
def test_tools_for_the_responses_api_are_what_its_sdk_takes(target: str) -> None:
    from openai.types.responses import FunctionTool

    converted = convert(ORDER, target)
    twin = convert(ORDER, target.replace("-responses", ""))
    (sent,) = request([converted], target)
    assert (converted.input_schema, converted.refused) == (twin.input_schema, twin.refused)
    read = FunctionTool.model_validate(sent, strict=True)
    assert (read.name, read.parameters) == ("shop_find_order", converted.input_schema)
    assert read.strict is target.endswith("-strict")  # left out, the API would take it as true


@pytest.mark.parametrize("target", FORMATS)
def test_every_format_is_a_target_of_the_linter(target: str) -> None:
    assert LintConfig(targets=(target,)).targets == (target.replace("-responses", ""),)


ANY = ["string", "number", "boolean", "null"]
CLOSED: dict[str, Any] = {"properties": {}, "required": [], "additionalProperties": False}


@pytest.mark.parametrize(
    ("given", "made", "told"),
    [
        ({"allOf": [{"type": "integer", "minimum": 5}, {"minimum": 1}]}, {"type": "integer", "minimum": 5}, []),
        ({"allOf": [{"type": "integer"}, {"type": "number", "maximum": 9}], "maximum": 12},
         {"type": "integer", "maximum": 9}, []),
        ({"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]},
         {"type": "string", "pattern": "a", "description": '(and pattern: "b")'}, [("", "pattern")]),
        ({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, {"type": "string", "enum": ["b"]}, []),
        (True, {"type": ANY}, [("", "type")]),
        ({}, {"type": ANY}, [("", "type")]),
        ({"type": "array"}, {"type": "array", "items": {"type": ANY}}, [("", "items")]),
        ({"type": "str"}, {"type": "string"}, [("", "type")]),
        ({"type": "object"}, {"type": "object", **CLOSED}, [("", "additionalProperties")]),
        ({"type": "string", "minLength": 2}, {"type": "string", "description": "(minLength: 2)"},
         [("", "minLength")]),
        ({"$ref": "#/$defs/N", "description": "Whose."}, {"type": "string", "description": "Whose."}, []),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}, []),
        ({"type": "object", "properties": {}, "required": ["a"]}, {"type": "object", **CLOSED},
         [("", "required"), ("", "additionalProperties")]),
        ({"type": "string", "not": {"type": "object", "required": ["a"]}},
         {"type": "string", "description": '(not: {"type": "object", "required": ["a"]})'}, [("", "not")]),
    ],
)  # fmt: skip
def test_openai_strict_gets_what_it_accepts_and_losses_are_listed(given: Any, made: Any, told: Any) -> None:
    assert parameter(given, "openai-strict", N={"type": "string"}) == (made, told)


@pytest.mark.parametrize("target", ["openai-strict", "anthropic-strict", "gemini"])
def test_parts_of_all_of_become_one_object_with_all_properties(target: str) -> None:
    parts = [
        {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]} for name in "xy"
    ]
    schema, told = parameter({"allOf": parts}, target)
    assert (list(schema["properties"]), schema["required"], told) == (["x", "y"], ["x", "y"], [])
    assert jsonschema_rs.is_valid(schema, {"x": 1, "y": 2})


def test_all_of_at_the_root_is_joined_like_any_other() -> None:
    part = {"properties": {"n": {"type": "integer", "minimum": 5}}, "required": ["n"]}
    other = {"properties": {"n": {"minimum": 1}, "m": {"type": "string"}}}
    schema = convert(Tool("x", "y", {"type": "object", "allOf": [part, other]}), "anthropic").input_schema
    assert schema["properties"] == {"n": {"type": "integer", "minimum": 5}, "m": {"type": "string"}}
    assert schema["required"] == ["n"] and "allOf" not in schema


def test_a_root_that_is_only_a_reference_in_all_of_is_written_out() -> None:
    city = {"type": "object", "properties": {"city": {"type": "string"}}}
    root = {"allOf": [{"$ref": "#/$defs/City"}], "$defs": {"City": city}}
    schema = convert(Tool("x", "y", root), "anthropic").input_schema
    assert "$ref" not in schema and list(schema["properties"]) == ["city"]


def test_variants_of_the_root_keep_every_form_of_a_property() -> None:
    variants = [
        {"properties": {"kind": {"const": kind}, kind: {"type": "string"}}, "required": ["kind"]}
        for kind in ("day", "week")
    ]
    schema = convert(Tool("x", "y", {"type": "object", "oneOf": variants}), "anthropic").input_schema
    assert schema["properties"]["kind"] == {"anyOf": [{"const": "day"}, {"const": "week"}]}
    assert (list(schema["properties"]), schema["required"]) == (["kind", "day", "week"], ["kind"])


def test_what_contains_itself_is_kept_by_openai_strict_and_refused_for_anthropic_strict() -> None:
    person = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/P"}}}}
    root = {"type": "object", "properties": {"p": {"$ref": "#/$defs/P"}}, "$defs": {"P": person}}
    assert convert(Tool("x", "y", root), "openai-strict").refused == ()
    assert [each.keyword for each in convert(Tool("x", "y", root), "anthropic-strict").refused] == ["TD708"]


def test_a_recursive_reference_loses_its_siblings_and_lists_them() -> None:
    link = {"$ref": "#/$defs/P", "description": "The next."}
    schema, told = parameter(link, "openai-strict", P={"type": "object", "properties": {"next": link}})
    assert schema["description"] == "The next."
    assert ("/properties/next", "description") in told


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, 'cannot be both "string" and "integer"'),
        ({"allOf": [{"const": 1}, {"const": 2}]}, "cannot be both 1 and 2"),
        ({"$ref": "https://example.com/x.json", "description": "x"}, "is in another document"),
        ({"$ref": "#/$defs/Nobody"}, "Nobody"),
        ({"type": "string", "required": True}, "required"),
    ],
)
def test_what_cannot_be_made_acceptable_is_refused(given: Any, says: str) -> None:
    root = {"type": "object", "properties": {"p": given}}
    refused = convert(Tool("x", "y", root), "openai-strict").refused
    assert refused and says in " ".join(each.note for each in refused)


def test_a_schema_nested_without_end_is_refused_not_followed() -> None:
    deep: dict[str, Any] = {}
    for _ in range(400):
        deep = {"type": "array", "items": deep}
    root = {"type": "object", "properties": {"p": deep}}
    (refused, *_) = convert(Tool("x", "y", root), "openai-strict").refused
    assert "nested more than" in refused.note


@pytest.mark.parametrize(
    ("given", "made", "told"),
    [
        ({"enum": [5]}, {"type": "integer", "minimum": 5, "maximum": 5}, []),
        ({"enum": [5, 6]}, {"description": "(enum: [5, 6])"}, [("", "enum")]),
        ({"enum": ["a", None]}, {"enum": ["a"], "nullable": True}, []),
        ({"type": "string", "examples": ["a"]}, {"type": "string", "description": '(examples: ["a"])'},
         [("", "examples")]),
        (True, {}, []),
        ({"type": "integer", "minimum": 9, "exclusiveMinimum": 2}, {"type": "integer", "minimum": 9}, []),
        ({"type": "object", "properties": {"n-o": {}, "n_o": {}}, "required": ["n-o"]},
         {"type": "object", "properties": {"n_o_2": {}, "n_o": {}}, "required": ["n_o_2"]},
         [("/properties/n-o", "name")]),
    ],
)  # fmt: skip
def test_gemini_gets_texts_in_enums_and_plain_names(given: Any, made: Any, told: Any) -> None:
    assert parameter(given, "gemini") == (made, told)


def test_old_definitions_are_renamed_with_their_references() -> None:
    root = {
        "type": "object",
        "properties": {"p": {"$ref": "#/definitions/N"}},
        "definitions": {"N": {"type": "string"}},
    }
    schema = convert(Tool("x", "y", root), "gemini").input_schema
    assert schema["properties"]["p"] == {"$ref": "#/$defs/N"} and "N" in schema["$defs"]


def test_names_that_would_become_one_stay_two() -> None:
    made = convert_all([Tool("a.b", "x"), Tool("a_b", "y"), Tool("a b", "z")], "bedrock")
    assert [one.name for one in made] == ["a_b_2", "a_b", "a_b_3"]
    assert [loss.keyword for loss in made[0].losses] == ["name"]


def test_two_tools_of_one_name_are_refused() -> None:
    made = convert_all([Tool("a", "x"), Tool("a", "y")], "mcp")
    assert "2 tools are called 'a'" in made[0].refused[0].note


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


@pytest.mark.parametrize("target", ["anthropic-strict", "openai-strict", "gemini"])
def test_a_keyword_that_moves_into_the_text_moves_as_it_was_written(target: str) -> None:
    schema: dict[str, Any] = {"type": "string", "minLength": 2}
    for _ in range(40):
        schema = {"type": "array", "prefixItems": [schema]}
    made = convert(Tool("f", "A list of lists.", {"type": "object", "properties": {"x": schema}}), target)
    text = json.dumps(made.input_schema)
    assert len(text) < 10_000
    assert "minLength" in text
