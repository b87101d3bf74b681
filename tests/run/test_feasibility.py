"""`single_turn` warns before it spends money on goldens it can never pass."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import rightcall as rc
from rightcall.core import codec
from rightcall.run.preparation import mode_warnings

FIND = {"id": "find", "tool": "find", "args": {}}
PLAIN = {"expected_calls": [FIND]}
NEEDS: dict[str, Any] = {
    "ref": {"expected_calls": [FIND, {"tool": "pay", "args": {"order": {"ref": "find"}}}]},
    "after": {"expected_calls": [FIND, {"tool": "pay", "after": ["find"]}]},
    "expected_state": {"expected_calls": [FIND], "expected_state": {"bank": {}}},
    "output_contains": {"expected_calls": [FIND], "output_contains": ["sunny"]},
}


def goldens(*fields: Any) -> list[rc.Golden]:
    return [
        codec.convert({"input": "?", "id": f"g{i}", **one}, rc.Golden, "a test")
        for i, one in enumerate(fields)
    ]


@pytest.mark.parametrize("need", NEEDS)
def test_a_golden_that_needs_a_result_is_named(need: str) -> None:
    (note,) = mode_warnings(rc.Agent("keyword:"), goldens(NEEDS[need], PLAIN))
    assert need in note and note.startswith("1 golden ") and "g0" in note and "agent.mode: loop" in note


def test_there_is_no_warning_where_it_can_be_passed() -> None:
    either = {"any_of": [NEEDS["ref"]["expected_calls"], [FIND]]}
    words = {"output_contains": ["hello"]}
    assert mode_warnings(rc.Agent("keyword:"), goldens(PLAIN, either, words)) == []
    assert mode_warnings(rc.Agent("keyword:", mode="loop"), goldens(NEEDS["ref"])) == []
    for agent in (lambda golden: "hi", rc.observe(lambda golden: "hi"), "http://127.0.0.1:9/agent"):
        assert mode_warnings(rc.Agent(agent), goldens(NEEDS["ref"])) == []


def test_evaluate_warns(tmp_path: Path) -> None:
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("find", "pay")]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        rc.evaluate(rc.Agent("keyword:", tools=tools), goldens(NEEDS["after"]), store=tmp_path / "y.db")
    assert any("several steps" in str(one.message) for one in seen)
