"""`rightcall run` says before it starts which goldens its mode can never pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_a_single_turn_warns_of_goldens_that_need_several_steps(rightcall: Any, tmp_path: Path) -> None:
    calls = [{"id": "find", "tool": "find"}, {"tool": "pay", "after": ["find"]}]
    (tmp_path / "goldens.jsonl").write_text(json.dumps({"input": "?", "id": "g", "expected_calls": calls}))
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("find", "pay")]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    suite = "dataset: goldens.jsonl\ntools: tools.json\nagent: {model: 'keyword:', mode: MODE}\n"
    for mode, warned in (("single_turn", True), ("loop", False)):
        (tmp_path / "suite.yaml").write_text(suite.replace("MODE", mode))
        told = rightcall("run", "suite.yaml")
        assert ("warning: 1 golden needs calls in several steps (after)" in told.err) == warned
