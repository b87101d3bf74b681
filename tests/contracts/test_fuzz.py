"""A short run of `python -m benchmarks fuzz`, and what longer ones have found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fuzz import DOORS, fuzz
from benchmarks.fuzz_inputs import GOLDENS, PLAIN_SUITE, SEEDS, TOOL

from rightcall.cli.main import main

pytestmark = pytest.mark.stories


@pytest.mark.parametrize("inputs", [4, pytest.param(12, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("kind", sorted(DOORS))
def test_spoilt_inputs_are_refused_or_taken_but_never_break(kind: str, inputs: int):
    tally = fuzz([kind], inputs)[kind]
    assert tally.failures == []
    assert tally.inputs == inputs


def test_the_command_runs_by_its_name():
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "benchmarks", "fuzz", "--inputs", "10", "--only", "replies,lockfiles"]
    done = subprocess.run(
        command, cwd=root, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failures" in done.stdout


def deep(levels: int) -> Any:
    value: Any = {"type": "string"}
    for _ in range(levels):
        value = {"type": "object", "properties": {"a": value}}
    return value


def golden(**changes: Any) -> list[dict[str, Any]]:
    return [{**GOLDENS[1], **changes}]


def matched(matcher: Any) -> list[dict[str, Any]]:
    return [{"id": "a", "input": "x", "expected_calls": [{"tool": "get_weather", "args": {"city": matcher}}]}]


def tool(schema: Any) -> list[dict[str, Any]]:
    return [{**TOOL, "input_schema": schema}]


FOUND: list[tuple[str, Any, list[str]]] = [
    ("g.json", matched({"text": "x", "ignore": [["case"]]}), ["dataset", "check", "g.json"]),
    ("g.json", matched({"type": [["string"]]}), ["dataset", "check", "g.json"]),
    ("t.json", tool({"type": "object", "properties": {"a": {"type": [["string"]]}}}), ["lint", "t.json"]),
    ("s.json", {**PLAIN_SUITE, "trials": 2**63}, ["run", "s.json"]),
    ("s.json", {**PLAIN_SUITE, "seed": 2**70}, ["run", "s.json"]),
    ("s.json", {**PLAIN_SUITE, "concurrency": 10**18}, ["run", "s.json"]),
    (
        "f.json",
        {"faults": [{"type": "empty", "tool": "\ud800"}]},
        ["run", "good-suite.yaml", "--faults", "f.json"],
    ),
    (
        "f.yaml",
        {"tools": [{"type": "distractor", "count": 10**9}]},
        ["run", "good-suite.yaml", "--faults", "f.yaml"],
    ),
    ("t.json", tool(deep(120)), ["lint", "t.json", "--suggest"]),
    ("t.json", tool(deep(400)), ["lint", "t.json", "--suggest"]),
    ("t.json", tool(deep(45)), ["lint", "t.json", "--suggest"]),
    ("g.json", golden(metadata={"x": deep(300)}), ["dataset", "convert", "g.json", "-o", "o.yaml"]),
    ("g.json", golden(metadata={"x": deep(48)}), ["dataset", "convert", "g.json", "-o", "o.yaml"]),
    ("t.json", [{**TOOL, "name": "a " * 100_000}], ["lint", "t.json", "--output", "o.txt"]),
]


@pytest.mark.parametrize(("name", "content", "command"), FOUND)
def test_what_was_found_once_stays_found(name, content, command, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for seed in SEEDS.values():
        Path(f"good-{seed.name}").write_bytes(seed.data)
    Path(name).write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["rightcall", *command])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, 1, 2, 3)
    assert "Traceback" not in capfd.readouterr().err
