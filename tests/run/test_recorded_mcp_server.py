"""`tools: {mcp: {…, recording: FILE}}`: a suite whose tools are answered from a recorded session."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError, InputError
from rightcall.recording.mcp.session_file import read_session, write_session
from rightcall.tools.mcp.address import read_address
from tests.limbs.contracts.sessions import SHOP

STATUS = {"name": "get_status", "arguments": {"order": "1017"}}
OTHER = {"name": "get_status", "arguments": {"order": "1018"}}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_session(tmp_path / "shop.mcp.jsonl", SHOP)
    return tmp_path


def run_suite(
    folder: Path, *calls: dict[str, Any], trials: int = 1, agent: Any = None, **mcp: Any
) -> list[Any]:
    turns = [*({"calls": [call]} for call in calls), {"text": "done"}]
    (folder / "script.json").write_text(json.dumps({"replies": [{"golden": "g", "turns": turns}]}), "utf-8")
    golden = {
        "id": "g",
        "input": "Where is it?",
        "expected_calls": [{"tool": "get_status", "min": 0, "max": 9}],
    }
    (folder / "goldens.jsonl").write_text(json.dumps(golden), "utf-8")
    suite = {
        "name": "shop",
        "tools": {"mcp": {"recording": "shop.mcp.jsonl", **mcp}},
        "dataset": "goldens.jsonl",
        "trials": trials,
        "agent": {"model": "scripted:script.json", "mode": "loop", **(agent or {})},
    }
    (folder / "suite.json").write_text(json.dumps(suite), "utf-8")
    return list(rc.run_suite(folder / "suite.json").results)


def outputs(result: Any) -> list[Any]:
    return [call.output for call in result.trajectory.calls]


def test_a_replay_needs_no_server_and_every_trial_begins_at_the_first_answers(folder):
    results = run_suite(folder, STATUS, STATUS, STATUS, trials=2)
    for result in results:
        assert result.passed and ["packing" in outputs(result)[0], "sent" in outputs(result)[1]] == [
            True,
            True,
        ]
        assert outputs(result)[2] == outputs(result)[1]


def test_a_call_that_is_not_recorded_says_nothing_about_the_agent(folder):
    (result,) = run_suite(folder, OTHER)
    assert result.trajectory.stop_reason == "infra_error"
    assert "not_recorded: this call of get_status is not in the recording" in result.error
    assert """'order' is "1017" there and "1018" here""" in result.error


def test_a_recorded_error_is_an_error_of_the_call(folder):
    (result,) = run_suite(folder, {"name": "get_status", "arguments": {"order": "0"}})
    assert "no such order" in outputs(result)[0]["detail"]


def test_a_recording_that_is_missing_or_without_a_server_is_refused_before_anything_runs(folder):
    with pytest.raises(ConfigError, match="no such recording"):
        run_suite(folder, STATUS, recording="other.mcp.jsonl")
    with pytest.raises(
        ConfigError, match=r"record: auto asks the server, which requires agent\.execute: real"
    ):
        run_suite(folder, STATUS, command=["false"])
    with pytest.raises(InputError, match="record: auto asks a server; add its command or url"):
        read_address({"recording": "a", "record": "auto"})
    with pytest.raises(InputError, match="record needs a recording"):
        read_address({"command": ["a"], "record": "auto"})


@pytest.mark.stories
def test_auto_asks_the_server_only_for_what_is_not_recorded_and_adds_it(folder):
    write_session(folder / "server.mcp.jsonl", SHOP)
    command = shlex.join([sys.executable, "-m", "rightcall", "mcp", "serve", "server.mcp.jsonl"])
    real = {"command": shlex.split(command), "record": "auto", "agent": {"execute": "real"}}
    absent = {"name": "get_status", "arguments": {"order": "0"}}
    (folder / "shop.mcp.jsonl").unlink()
    run_suite(folder, STATUS, STATUS, **real)
    first = read_session(folder / "shop.mcp.jsonl")
    assert [(call.name, call.n) for call in first.calls] == [("get_status", 0), ("get_status", 1)]
    assert first.tools == SHOP.tools
    run_suite(folder, STATUS, absent, **real)
    assert [call.arguments["order"] for call in read_session(folder / "shop.mcp.jsonl").calls] == [
        "1017",
        "1017",
        "0",
    ]
    before = (folder / "shop.mcp.jsonl").read_bytes()
    (result,) = run_suite(folder, STATUS, absent, **{**real, "command": ["false"]})
    assert result.trajectory.stop_reason == "done" and (folder / "shop.mcp.jsonl").read_bytes() == before
    run_suite(folder, absent, **{**real, "record": "refresh"})
    assert [call.arguments["order"] for call in read_session(folder / "shop.mcp.jsonl").calls] == ["0"]
