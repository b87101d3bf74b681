"""A safe fix rejects nothing that was accepted, except undeclared properties."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from rightcall.lint.config import LintConfig
from rightcall.lint.engine import lint
from rightcall.lint.fixer import fix
from rightcall.lint.source.read import read_text
from rightcall.schema.provider_limits import TARGETS
from tests.lint.valid_values import declared_value, input_schemas
from tests.support.examples import examples


def fixed_schema(schema: dict[str, Any], targets: tuple[str, ...] = ()) -> Any:
    """The input schema after all safe fixes."""
    tools = [{"name": "get_x", "description": "Gets x.", "input_schema": schema}]
    changed = fix(read_text(json.dumps(tools)), config=LintConfig(targets=targets))
    return changed[0].after.value[0]["input_schema"] if changed else schema


def accepts(schema: dict[str, Any], value: Any) -> bool:
    return jsonschema_rs.Draft202012Validator(schema).is_valid(value)


@settings(
    max_examples=examples(200), suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
@given(st.data(), input_schemas, st.sampled_from([(), *((target,) for target in TARGETS), TARGETS]))
def test_what_was_valid_is_valid_after_every_safe_fix(
    data: st.DataObject, schema: dict[str, Any], targets: tuple[str, ...]
) -> None:
    after = fixed_schema(schema, targets)
    assume(after != schema)
    value = declared_value(data.draw, schema, schema)
    assume(accepts(schema, value))
    assert accepts(after, value), after


NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
BREED = {"type": "object", "properties": {"breed": {"type": "string"}}, "required": ["breed"]}
DOG = {"pet": {"name": "Rex", "breed": "pug"}}


def with_pet(pet: dict[str, Any], **definitions: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"pet": pet}, "required": ["pet"], "$defs": definitions}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (with_pet({"allOf": [NAME, BREED]}), DOG),
        (with_pet({"$ref": "#/$defs/Dog"}, Base=NAME, Dog={"allOf": [{"$ref": "#/$defs/Base"}, BREED]}), DOG),
        (with_pet({"$ref": "#/$defs/Base", **BREED}, Base=NAME), DOG),
        (with_pet({"type": "object", "description": "Any key"}), DOG),
        (with_pet({"type": "object", "properties": {}}), DOG),
        (with_pet({**NAME, "required": ["breed"]}), DOG),
        (with_pet({**NAME, "additionalProperties": {"type": "string"}}), DOG),
        (with_pet({**NAME, "properties": {**NAME["properties"], "age": {"type": "integer"}}}),
         {"pet": {"name": "Rex"}}),
        (with_pet({"oneOf": [{"type": "string", "nullable": True}, {"type": "null"}]}), {"pet": None}),
        (with_pet({"$ref": "#/$defs/Base", "properties": {"breed": {}}},
                  Base={**NAME, "additionalProperties": False}), {"pet": {"name": "Rex"}}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("targets", [(), ("openai-strict",), ("anthropic-strict",)])
def test_objects_that_others_add_to_and_free_keys_stay_open(
    schema: dict[str, Any], value: Any, targets: tuple[str, ...]
) -> None:
    assert accepts(schema, value)
    assert accepts(fixed_schema(schema, targets), value)


def test_a_definition_that_stands_alone_is_closed() -> None:
    pet = {"description": "The pet.", "anyOf": [{"$ref": "#/$defs/Base"}, {"type": "null"}]}
    after = fixed_schema(with_pet(pet, Base=NAME))
    assert after["$defs"]["Base"]["additionalProperties"] is False


def test_requiring_what_was_optional_is_only_suggested() -> None:
    schema = {**NAME, "required": [], "additionalProperties": False}
    tools = [{"name": "get_x", "description": "Gets x.", "input_schema": schema}]
    config = LintConfig(select=("TD701",), targets=("openai-strict",))
    assert [each.fix for each in lint(read_text(json.dumps(tools)), config=config).diagnostics] == [
        "suggested"
    ]
