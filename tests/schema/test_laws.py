"""Laws of conversion, searched: nothing refused is left, nothing vanishes untold, nothing else changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
from hypothesis import assume, given, settings, strategies as st

from rightcall.lint.config import LintConfig
from rightcall.lint.engine import lint
from rightcall.lint.features.schemas import walk
from rightcall.lint.fixer import convert
from rightcall.lint.source.read import read_text
from rightcall.model import Tool
from rightcall.schema.convert import request
from rightcall.schema.provider_limits import TARGETS, provider
from tests.lint.strategies import input_schemas, schemas_with_arguments
from tests.support.examples import examples

VALUES = st.sampled_from(["a", "c", 0, 1, 4, 5, 9, True, [], ["a"], {}, {"p": "a"}, {"q": "a"}, {"x": 1}])
STRICT = ("openai-strict", "anthropic-strict")


def keywords_and_names(schema: Any) -> Iterator[str]:
    for node in walk(schema, ()):
        yield from node.schema
        properties = node.schema.get("properties")
        yield from properties if isinstance(properties, dict) else ()


@settings(max_examples=examples(300))
@given(input_schemas, st.sampled_from(TARGETS))
def test_the_linter_has_no_error_for_what_is_written(schema: dict[str, Any], target: str) -> None:
    converted = convert(Tool("get_x", "Gets x.", schema), target)
    written = read_text(json.dumps(request([converted], target)))
    report = lint(written, config=LintConfig(targets=(target,), select=("TD001", "TD006", "TD007", "TD7")))
    left = {found.code for found in report.diagnostics if found.severity == "error"}
    assert left <= {refusal.keyword for refusal in converted.refused}


@settings(max_examples=examples(300))
@given(input_schemas, st.sampled_from(TARGETS))
def test_whatever_disappears_is_named(schema: dict[str, Any], target: str) -> None:
    converted = convert(Tool("get_x", "Gets x.", schema), target)
    told = {loss.keyword for loss in converted.losses}
    told |= {part for loss in converted.losses for part in loss.pointer.split("/")}
    rewritten_losslessly = {
        "allOf",
        "nullable",
        "const",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "$ref",
    }
    gone = set(keywords_and_names(schema)) - set(keywords_and_names(converted.input_schema)) - told
    assert gone <= rewritten_losslessly or converted.refused


@settings(max_examples=examples(200))
@given(input_schemas)
def test_openai_strict_gets_known_keywords_types_items_and_closed_objects(schema: dict[str, Any]) -> None:
    converted = convert(Tool("get_x", "Gets x.", schema), "openai-strict")
    assume(not converted.refused)
    for node in walk(converted.input_schema, ()):
        assert node.schema.keys() <= set(provider("openai-strict").keywords)
        assert node.schema.keys() & {"type", "anyOf", "$ref"}
        kinds = node.schema.get("type", ())
        assert "array" not in kinds or "items" in node.schema
        assert "object" not in kinds or node.schema["additionalProperties"] is False
        assert "$ref" not in node.schema or len(node.schema) == 1


@settings(max_examples=examples(600))
@given(schemas_with_arguments, VALUES, st.sampled_from(STRICT), st.data())
def test_without_losses_the_same_arguments_fit(
    pair: tuple[dict[str, Any], dict[str, Any]], other: Any, target: str, data: st.DataObject
) -> None:
    schema, arguments = pair
    converted = convert(Tool("get_x", "Gets x.", schema), target)
    assert not converted.refused
    assume(not converted.losses)
    assert jsonschema_rs.is_valid(schema, arguments)
    assert fits(converted.input_schema, arguments, target)
    changed = {**arguments, data.draw(st.sampled_from(sorted(schema["properties"]))): other}
    assert jsonschema_rs.is_valid(schema, changed) or not fits(converted.input_schema, changed, target)


def fits(schema: dict[str, Any], arguments: Any, target: str) -> bool:
    sent = with_nulls(arguments, schema, schema) if target == "openai-strict" else arguments
    return jsonschema_rs.is_valid(schema, sent)


def with_nulls(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The value with null for every property that was left out, as strict mode has it sent."""
    if "$ref" in schema:
        return with_nulls(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    for variant in schema.get("anyOf", ()):
        sent = with_nulls(value, variant, root)
        if jsonschema_rs.is_valid({**variant, "$defs": root["$defs"]}, sent):
            return sent
    if isinstance(value, list) and "items" in schema:
        return [with_nulls(item, schema["items"], root) for item in value]
    if not isinstance(value, dict):
        return value
    known = schema.get("properties", {})
    given = {name: with_nulls(part, known.get(name, {}), root) for name, part in value.items()}
    return {**dict.fromkeys(known), **given}
