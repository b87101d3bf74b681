"""A safe fix rejects nothing that was accepted, except undeclared properties."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from rightcall.lint.config import LintConfig
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
