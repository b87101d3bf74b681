"""Tools in Gemini's own spelling are right as they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rightcall.lint.config import LintConfig
from rightcall.lint.engine import lint
from rightcall.lint.fixer import fix
from rightcall.lint.source.read import read_text

PARAMETERS = {
    "type": "OBJECT",
    "properties": {"city": {"type": "STRING", "description": "City to look up", "nullable": True}},
    "required": ["city"],
}
TOOL = {"name": "get_weather", "description": "Returns the weather.", "parameters": PARAMETERS}


@pytest.mark.parametrize(
    ("written", "targets"),
    [
        ({"functionDeclarations": [TOOL]}, None),
        ([{"function_declarations": [TOOL]}], None),
        ([TOOL], ("gemini",)),
    ],
)
def test_upper_case_types_and_nullable_are_neither_found_nor_changed(written: Any, targets: Any) -> None:
    sets = read_text(json.dumps(written))
    config = LintConfig(targets=targets)
    assert not {each.code for each in lint(sets, config=config).diagnostics} & {
        "TD001",
        "TD002",
        "TD006",
        "TD711",
    }
    assert fix(sets, config=config) == []


def test_for_others_they_are_wrong() -> None:
    found = lint(read_text(json.dumps([TOOL]))).diagnostics
    assert {"TD006", "TD711"} <= {each.code for each in found}


def test_a_field_that_gemini_has_not_is_found_in_its_own_spelling() -> None:
    parameters = {**PARAMETERS, "if": {}}
    found = lint(
        read_text(json.dumps({"functionDeclarations": [{**TOOL, "parameters": parameters}]}))
    ).diagnostics
    assert "TD705" in {each.code for each in found}


def test_each_fault_of_a_schema_is_said_once() -> None:
    schema = {"type": "object", "properties": {"a": 5, "b": None}}
    tools = [{"name": "get_x", "description": "Gets x.", "input_schema": schema}]
    found = [each.pointer for each in lint(read_text(json.dumps(tools))).diagnostics if each.code == "TD001"]
    assert found == ["/0/input_schema/properties/a", "/0/input_schema/properties/b"]
