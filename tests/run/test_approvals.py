"""`approvals` in a suite, `confirm` and `as` in its dataset: from the file to the verdict and to stored results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError

TOOLS = [
    {"name": "delete_account", "input_schema": {"type": "object", "properties": {"id": {"type": "integer"}}},
     "roles": ["admin"]},
]  # fmt: skip
EXPECT = [{"tool": "delete_account", "args": {"id": 7}}]
TURNS = [{"calls": [{"name": "delete_account", "arguments": {"id": 7}}]}, {"text": "Finished."}]
SCRIPT = {"format": "rightcall/script/1", "replies": [{"turns": TURNS}]}


def suite(folder: Path, *goldens: dict[str, object], mode: str = "loop", more: str = "") -> Path:
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    (folder / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in goldens))
    (folder / "answers.json").write_text(json.dumps(SCRIPT))
    file = folder / "suite.yaml"
    file.write_text(
        f"dataset: goldens.jsonl\ntools: tools.json\nagent: {{model: 'scripted:answers.json', mode: {mode}}}\n{more}"
    )
    return file


GOLDENS = [
    {"id": "asks", "input": "Delete 7", "confirm": ["delete_account"], "expected_calls": EXPECT},
    {"id": "viewer", "input": "Delete 7", "as": {"role": "viewer"}},
    {"id": "admin", "input": "Delete 7", "as": {"role": "admin"}, "expected_calls": EXPECT},
]


def outcomes(result: rc.RunResult) -> dict[str, list[str]]:
    return {case.golden_id: [code.code for code in case.codes] for case in result.results}


@pytest.mark.parametrize(
    ("line", "asks"), [("approve", []), ("escalate", []), ("{reject: No.}", []), ("{edit: {id: 8}}", [])]
)
def test_a_suite_answers_for_the_user(tmp_path, monkeypatch, line, asks):
    monkeypatch.chdir(tmp_path)
    result = rc.run_suite(suite(tmp_path, *GOLDENS, more=f"approvals: {{delete_account: {line}}}\n"))
    assert outcomes(result) == {"asks": asks, "viewer": [], "admin": []}


def test_without_an_approver_the_tool_runs_unconfirmed_and_a_rescore_says_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = suite(tmp_path, *GOLDENS)
    result = rc.run_suite(file)
    expected = {"asks": ["unconfirmed"], "viewer": [], "admin": []}
    assert outcomes(result) == expected and outcomes(rc.rescore(result.id)) == expected


@pytest.mark.parametrize(
    ("mode", "more", "words"),
    [
        ("single_turn", "", "confirm cannot be checked: single_turn runs no tools"),
        ("loop", "approvals: {delete_acount: approve}\n", "did you mean 'delete_account'"),
        ("loop", "approvals: {delete_account: {edit: {id: x}}}\n", "approvals.delete_account: id"),
        ("loop", "approvals: {delete_account: maybe}\n", "must be approve, escalate"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_spent(tmp_path, monkeypatch, mode, more, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=words):
        rc.run_suite(suite(tmp_path, GOLDENS[0], mode=mode, more=more))


def test_an_agent_that_cannot_be_loaded_is_the_only_problem_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goldens.jsonl").write_text(json.dumps(GOLDENS[0]))
    file = tmp_path / "suite.yaml"
    (tmp_path / "lost_agent.py").write_text("import no_such_package\n")
    file.write_text(
        "dataset: goldens.jsonl\nagent: {model: 'lost_agent:agent'}\napprovals: {delete_account: approve}\n"
    )
    with pytest.raises(ConfigError, match="cannot be loaded") as told:
        rc.run_suite(file)
    assert "approvals" not in str(told.value)
