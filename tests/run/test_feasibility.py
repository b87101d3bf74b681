"""`single_turn` says before it spends money which goldens it can never pass."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import rightcall as rc
from rightcall.core import codec
from rightcall.core.errors import ConfigError
from rightcall.providers.scripted import ScriptedProvider
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


@pytest.mark.parametrize("need", ["expected_state", "output_contains"])
def test_a_golden_that_needs_a_loop_is_named(need: str) -> None:
    (note,) = mode_warnings(rc.Agent("keyword:"), goldens(NEEDS[need], PLAIN))
    assert need in note and note.startswith("1 golden ") and "g0" in note and "agent.mode: loop" in note


def test_there_is_no_warning_where_it_can_be_passed() -> None:
    either = {"any_of": [NEEDS["ref"]["expected_calls"], [FIND]]}
    words = {"output_contains": ["hello"]}
    assert mode_warnings(rc.Agent("keyword:"), goldens(PLAIN, either, words)) == []
    assert mode_warnings(rc.Agent("keyword:", mode="loop"), goldens(NEEDS["ref"])) == []
    for agent in (lambda golden: "hi", rc.observe(lambda golden: "hi"), "http://127.0.0.1:9/agent"):
        assert mode_warnings(rc.Agent(agent), goldens(NEEDS["ref"])) == []


def calls_then_answers(tool: str, answer: str) -> ScriptedProvider:
    def reply(request: Any) -> Any:
        return answer if any(message.results for message in request.messages) else rc.ToolCall(tool, {}, "c")

    return ScriptedProvider(reply)


TOOLS = [{"name": name, "input_schema": {"type": "object"}} for name in ("find", "pay")]


@pytest.mark.parametrize("need", ["ref", "after"])
def test_calls_that_depend_on_a_result_are_refused(need: str, tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=rf"it needs .*\({need}\), which .* cannot provide; set agent.mode: loop"
    ):
        rc.evaluate(rc.Agent("keyword:", tools=TOOLS), goldens(NEEDS[need]), store=tmp_path / "y.db")


def test_evaluate_warns(tmp_path: Path) -> None:
    agent = rc.Agent("keyword:", tools=TOOLS)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        rc.evaluate(agent, goldens(NEEDS["output_contains"]), store=tmp_path / "y.db")
    assert any("an answer after the calls" in str(one.message) for one in seen)


def test_an_agent_with_mocks_runs_in_a_loop(tmp_path: Path) -> None:
    mocks = {"find": {"result": "B-7"}}
    agent = rc.Agent(calls_then_answers("find", "Found B-7."), tools=TOOLS, mocks=mocks)
    golden = {**PLAIN, "output_contains": ["B-7"]}
    assert rc.evaluate(agent, goldens(golden), store=tmp_path / "y.db").passed
    with pytest.raises(ConfigError, match="single_turn runs no tools"):
        rc.Agent("keyword:", tools=TOOLS, mocks=mocks, mode="single_turn")
    assert rc.Agent(lambda text: "hi", mocks=mocks, mode="single_turn").mode == "single_turn"
