"""Transcripts of coding agents through the doors: files that are scored or imported, and programs that are run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightcall.cli.main import cli
from rightcall.core.errors import InputError

GOLDEN = {"id": "pause", "input": "Pause 2301.", "expected_calls": [{"tool": "pause", "args": {"id": 2301}}]}
CALL = {"type": "tool_use", "id": "c1", "name": "mcp__shop__pause", "input": {"id": 2301}}
STREAM = [
    {"type": "system", "subtype": "init", "session_id": "s1", "model": "m"},
    {"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": [CALL]}},
    {"type": "result", "subtype": "success", "result": "Paused.", "usage": {}},
]
ROLLOUT = [
    {"type": "session_meta", "payload": {"id": "s2"}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "Pause  2301."}]}},
    {"type": "response_item", "payload": {"type": "function_call", "call_id": "c", "name": "mcp__shop__pause",
                                          "arguments": '{"id": 2301}'}},
]  # fmt: skip


def lines(entries: list[dict[str, object]]) -> str:
    return "\n".join(map(json.dumps, entries))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goldens.jsonl").write_text(json.dumps(GOLDEN), "utf-8")
    (tmp_path / "pause.2.jsonl").write_text(lines(STREAM), "utf-8")
    (tmp_path / "other.jsonl").write_text(lines(ROLLOUT), "utf-8")
    return tmp_path


def test_transcripts_are_scored_by_their_name_or_their_request(folder: Path) -> None:
    result = CliRunner().invoke(cli, ["score", "goldens.jsonl", "pause.2.jsonl", "other.jsonl", "--json"])
    rows = [json.loads(row) for row in result.stdout.splitlines()]
    assert [(row["golden_id"], row["passed"]) for row in rows] == [
        ("pause", True)
    ] * 2 and result.exit_code == 0


def test_a_transcript_of_no_golden_is_refused(folder: Path) -> None:
    (folder / "zzz.jsonl").write_text(lines(STREAM), "utf-8")
    result = CliRunner().invoke(cli, ["score", "goldens.jsonl", "zzz.jsonl"])
    assert isinstance(result.exception, InputError) and "ID.jsonl" in str(result.exception)


def test_transcripts_are_imported_as_traces(folder: Path) -> None:
    result = CliRunner().invoke(cli, ["traces", "import", "other.jsonl", "pause.2.jsonl"])
    assert result.exit_code == 0, result.output
    listed = CliRunner().invoke(cli, ["traces", "list", "--json"]).stdout
    rows = [json.loads(row) for row in listed.splitlines()]
    assert {row["trace_id"] for row in rows} == {"s1", "s2"}


@pytest.mark.parametrize(("printed", "code"), [(STREAM, 0), ([], 4)])
def test_a_coding_agent_is_run_as_it_is(folder: Path, printed: list[dict[str, object]], code: int) -> None:
    program = folder / "claude"
    text = lines(printed) or "Paused."
    program.write_text(
        f"#!{sys.executable}\nimport sys\nassert sys.stdin.read() == 'Pause 2301.\\n'\nprint({text!r})\n"
    )
    program.chmod(0o755)
    (folder / "suite.yaml").write_text('dataset: goldens.jsonl\nagent: {model: "exec:./claude"}\n', "utf-8")
    result = CliRunner().invoke(cli, ["run", "suite.yaml"])
    assert result.exit_code == code, result.output
    assert ("--output-format stream-json" in result.output) == (code == 4)
