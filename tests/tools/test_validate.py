from __future__ import annotations

import http.server
import math
import threading
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.records import Tool
from rightcall.tools.definitions.validate import (
    check_schema,
    fits,
    is_valid,
    pattern_test,
    problems,
    schema_problems,
)
from tests.support.examples import examples

PERSON = {
    "type": "object",
    "properties": {"email": {"type": "string", "format": "email"}},
    "required": ["email"],
    "additionalProperties": False,
}
FORECAST = Tool(
    "get_forecast",
    input_schema={
        "type": "object",
        "$defs": {"person": PERSON},
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1, "maximum": 7},
            "units": {"enum": ["celsius", "fahrenheit"]},
            "tell": {"type": "array", "items": {"$ref": "#/$defs/person"}},
            "note": {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
        },
        "required": ["city"],
        "additionalProperties": False,
    },
)


def a_tool(schema: dict[str, Any]) -> Tool:
    return Tool("t", input_schema=schema)


def test_good_arguments_have_no_problems():
    arguments = {"city": "Hue", "days": 3, "tell": [{"email": "a@b.vn"}], "note": None}
    assert problems(FORECAST, arguments) == []
    assert is_valid(FORECAST, arguments)


def test_every_problem_is_reported_at_once_with_its_path():
    found = problems(FORECAST, {"citty": "Hue", "days": 9, "tell": [{"email": "a@b.vn"}, {"email": "no"}]})
    assert sorted(p.path for p in found) == ["citty", "city", "days", "tell[1].email"]
    assert not is_valid(FORECAST, {"citty": "Hue"})


@pytest.mark.parametrize(
    ("arguments", "message", "allowed", "suggestion"),
    [
        (
            {"city": "x", "units": "Celcius"},
            "units must be one of 'celsius', 'fahrenheit'; got 'Celcius'",
            ("celsius", "fahrenheit"),
            "celsius",
        ),
        ({"city": "x", "days": "5"}, "days must be a whole number, got '5'", ("integer",), 5),
        ({"city": 7}, "city must be a text, got 7", ("string",), "7"),
        ({"city": "x", "days": 9}, "days must be at most 7, got 9", (), None),
        ({"city": "x", "note": "long"}, "note must be a text of at most 3 characters, got 'long'", (), None),
        ({}, "'city' is required and missing", (), None),
        (
            {"city": "x", "tell": [{"email": "no"}]},
            "tell[0].email must be an e-mail address, got 'no'",
            (),
            None,
        ),
    ],
)
def test_a_problem_says_what_was_found_what_is_allowed_and_what_was_meant(
    arguments, message, allowed, suggestion
):
    (found,) = problems(FORECAST, arguments)
    assert (found.message, found.allowed, found.suggestion) == (message, allowed, suggestion)


def test_a_misspelt_name_is_reported_with_the_missing_name():
    found = {p.path: p for p in problems(FORECAST, {"citty": "Hue"})}
    assert found["citty"].suggestion == "city"
    assert found["city"].message == "'city' is required and missing; 'citty' was given instead"


def test_union_errors_name_the_intended_branch_or_all_branches():
    schema = {"anyOf": [{"type": "object", "required": ["q"]}, {"type": "array"}]}
    assert [p.path for p in schema_problems(schema, {}, "s")] == ["q"]
    (found,) = schema_problems(schema, 5, "s")
    assert found.message == "the value must be a list or an object, got 5"


@pytest.mark.parametrize("arguments", [None, [], "x", 3])
def test_arguments_that_are_not_an_object_are_a_problem(arguments):
    assert problems(a_tool({}), arguments)[0].message == "the arguments must be a JSON object"
    assert not is_valid(a_tool({}), arguments)


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"c": value}
    return value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"a": math.nan}, "nan is not a JSON number"),
        ({"a": [1, -math.inf]}, "-inf is not a JSON number"),
        ({"a": "\ud800"}, "lone surrogate"),
        ({"\udfff": 1}, "lone surrogate"),
        (nested(2_000), "nested too deeply"),
        (nested(100_000), "nested too deeply"),
        ({"a": 10**5_000}, "a number of more than 4,000 digits"),
        ({"a": {1, 2}}, "a set is not a JSON value"),
        ({1: 2}, "the name 1 is not a text"),
    ],
)
def test_what_json_cannot_hold_is_a_problem_and_never_a_crash(value, told):
    recursive = {"$defs": {"n": {"properties": {"c": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}
    for schema in ({}, recursive):
        (found, *_) = problems(a_tool(schema), value)
        assert told in found.message and found.keyword == "json"
        assert not is_valid(a_tool(schema), value)


def test_huge_numbers_and_texts_are_validated_as_they_are():
    assert is_valid(a_tool({"properties": {"n": {"type": "integer"}}}), {"n": 10**40})
    (found,) = problems(a_tool({"properties": {"s": {"maxLength": 3}}}), {"s": "x" * 10_000_000})
    assert len(found.message) < 200


def test_one_whole_float_is_an_integer_and_true_is_not():
    schema = {"properties": {"n": {"type": "integer"}}}
    assert is_valid(a_tool(schema), {"n": 1.0})
    assert not is_valid(a_tool(schema), {"n": True})


@pytest.mark.parametrize(("items", "told"), [(1_000, 100), (1_000_000, 1)])
def test_a_host_of_wrong_items_makes_few_problems(items, told):
    schema = {"properties": {"n": {"items": {"type": "integer"}}}}
    assert len(problems(a_tool(schema), {"n": ["x"] * items})) == told


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("^(a+)+$", "a" * 40 + "!"), (r"^(a|aa)+\1$", "a" * 60 + "!"), (r"^(?=(a|a)*\1$)b", "a" * 60 + "!")],
)
def test_a_hostile_pattern_does_not_hang(pattern, text):
    assert not is_valid(a_tool({"properties": {"s": {"pattern": pattern}}}), {"s": text})
    assert not pattern_test(pattern)(text)


def test_a_remote_reference_is_refused_and_nothing_is_fetched():
    asked = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)

    with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/schema.json"
        with pytest.raises(InputError, match="never fetched"):
            check_schema(a_tool({"properties": {"a": {"$ref": address}}}))
        server.shutdown()
    assert asked == []


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"$ref": "file:///etc/passwd"}, "refers to file:///etc/passwd"),
        ({"$ref": "#/nope"}, "does not exist"),
        ({"properties": {"a": {"type": "strng"}}}, "at properties.a.type"),
        ({"properties": {"a": {"pattern": "(["}}}, 'not a "regex"'),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "not a draft from 4 to 2020-12"),
        ({"properties": {"a": {"pattern": "(a{1000}){1000}"}}}, 'not a "regex"'),
        ({"properties": {"\ud800": {}}, "title": "\ud800"}, "surrogate"),
    ],
)
def test_a_schema_that_cannot_be_used_names_the_tool_and_the_place(schema, told):
    with pytest.raises(InputError) as error:
        problems(a_tool(schema), {})
    assert str(error.value).startswith("tool 't': the schema") and told in str(error.value)


def test_a_schema_two_thousand_levels_deep_is_refused_not_followed():
    schema: dict[str, Any] = {}
    for _ in range(2_000):
        schema = {"properties": {"a": schema}}
    with pytest.raises(InputError, match="nested too deeply"):
        check_schema(a_tool(schema))


@pytest.mark.parametrize("schema", [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}])
def test_a_schema_that_refers_to_itself_ends(schema):
    assert is_valid(a_tool(schema), {})


def test_a_validator_is_compiled_once_for_each_schema_and_old_ones_are_let_go():
    from rightcall.tools.definitions import validate

    schema = {"type": "object"}
    assert validate.validator_of(schema, "s") is validate.validator_of(schema, "s")
    for number in range(validate.MOST_VALIDATORS + 10):
        validate.validator_of({"const": number}, "s")
    assert len(validate._validators) <= validate.MOST_VALIDATORS


def test_a_pattern_fits_from_end_to_end_and_every_branch():
    assert pattern_test("a|b")("b") and pattern_test("(?i)hue")("HUE")
    assert not pattern_test("a|b")("ab") and not pattern_test("b")("b\n") and not pattern_test("a")("\ud800")


@pytest.mark.parametrize("pattern", ["(", "a)|(b", "[", "(a{1000}){1000}", "\ud800"])
def test_a_pattern_test_refuses_what_is_not_a_pattern(pattern):
    with pytest.raises(InputError, match="not a valid regular expression"):
        pattern_test(pattern)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec=None)), inner),
    max_leaves=10,
)


@settings(max_examples=examples(60), deadline=None)
@given(st.dictionaries(st.text(), json_values), st.sampled_from(["string", "integer", "object", "array"]))
def test_the_quick_answer_and_the_full_answer_agree(arguments, kind):
    tool = a_tool({"properties": {"a": {"type": kind}}, "additionalProperties": {"type": ["number", "null"]}})
    assert is_valid(tool, arguments) == (problems(tool, arguments) == [])
    assert fits(tool.input_schema, arguments, "s") == is_valid(tool, arguments)
