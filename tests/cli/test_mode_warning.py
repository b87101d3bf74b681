"""`rightcall run` refuses before it starts goldens that its mode can never pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_a_single_turn_refuses_goldens_that_need_several_steps(rightcall: Any, tmp_path: Path) -> None:
    calls = [{"id": "find", "tool": "find"}, {"tool": "pay", "after": ["find"]}]
    (tmp_path / "goldens.jsonl").write_text(json.dumps({"input": "?", "id": "g", "expected_calls": calls}))
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("find", "pay")]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    suite = "dataset: goldens.jsonl\ntools: tools.json\nagent: {model: 'keyword:', mode: MODE}\n"
    for mode, refused in (("single_turn", True), ("loop", False)):
        (tmp_path / "suite.yaml").write_text(suite.replace("MODE", mode))
        told = rightcall("run", "suite.yaml")
        assert ("it needs calls in several steps (after), which single_turn cannot" in told.err) == refused
        assert (told.code == 2) == refused


@pytest.mark.parametrize(("mode", "code"), [("", 0), ("mode: loop", 0), ("mode: single_turn", 2)])
def test_a_suite_with_mocks_runs_in_a_loop(mode: str, code: int, rightcall: Any, tmp_path: Path) -> None:
    turns = [{"calls": [{"name": "find", "arguments": {}}]}, {"text": "Found B-7."}]
    script = {"format": "rightcall/script/1", "replies": [{"turns": turns}]}
    golden = {"id": "g", "input": "?", "expected_calls": [{"tool": "find"}], "output_contains": ["B-7"]}
    (tmp_path / "script.json").write_text(json.dumps(script))
    (tmp_path / "tools.json").write_text(json.dumps([{"name": "find", "input_schema": {"type": "object"}}]))
    (tmp_path / "goldens.jsonl").write_text(json.dumps(golden))
    (tmp_path / "suite.yaml").write_text(
        "dataset: goldens.jsonl\ntools: tools.json\nmocks: {find: {result: B-7}}\n"
        f"agent: {{model: 'scripted:script.json', {mode}}}\n"
    )
    done = rightcall("run", "suite.yaml")
    assert done.code == code, done.out + done.err
    assert code == 0 or "mocks answer calls of a loop" in done.err
