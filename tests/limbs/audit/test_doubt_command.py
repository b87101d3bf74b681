"""Doubts on the command line: what is printed, exit codes, other agents' trajectories, decisions in a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

import rightcall as rc
from rightcall.core.errors import InputError
from rightcall.improve.past_evidence import agent_of_file
from rightcall.limbs.audit.command import audit

TOOL = {"name": "alarm", "description": "Sets an alarm.", "input_schema": {
    "type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}  # fmt: skip
AGENTS = ("openai/gpt-5", "anthropic/claude-4", "google/gemini-3")


def row(number: int, minutes: Any = None) -> dict[str, Any]:
    args = {"minutes": number if minutes is None else minutes}
    return {
        "id": f"g{number}",
        "input": f"Wake me in {number} minutes.",
        "expected_calls": [{"tool": "alarm", "args": args}],
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five goldens, of which g5 is wrong, and what three agents did."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "goldens.jsonl", [row(1), row(2), row(3), row(4), row(5, 6)])
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    for agent in AGENTS:
        calls = [
            {"golden_id": f"g{n}", "calls": [{"name": "alarm", "arguments": {"minutes": n}}]}
            for n in range(1, 6)
        ]
        write(tmp_path / f"{agent.partition('/')[2]}.jsonl", calls)
    return tmp_path


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def words(agents: tuple[str, ...] = AGENTS) -> list[str]:
    files = [f"{agent}={agent.partition('/')[2]}.jsonl" for agent in agents]
    given = [word for file in files for word in ("--trajectories", file)]
    return ["goldens.jsonl", "--tools", "tools.json", *given]


def invoke(*more: str, agents: tuple[str, ...] = AGENTS) -> Result:
    return CliRunner().invoke(audit, [*words(agents), *more], catch_exceptions=False)


def test_doubts_are_named_after_the_rate_with_what_could_change(folder: Path) -> None:
    shown = invoke().output
    assert "1 golden is probably wrong: g5 (agents agree on another call)." in shown
    assert "alarm.minutes: the golden expects 6, they pass 5" in shown
    assert 'any_of: [[{"tool":"alarm","args":{"minutes":5}}]]' in shown
    assert "Agents that vote on goldens: anthropic/claude-4, google/gemini-3, openai/gpt-5." in shown


def test_json_the_page_and_python_say_the_same(folder: Path) -> None:
    read = json.loads(invoke("--only", "doubts", "--json").output)
    (doubt,) = [d for d in read["doubts"] if d["code"] == "agents_agree"]
    assert (doubt["golden_id"], doubt["band"], doubt["n"], doubt["agree"], doubt["pass"]) == (
        "g5",
        "likely",
        3,
        1.0,
        0.0,
    )
    assert doubt["families"] == ["anthropic", "google", "openai"] and 0 < doubt["precision"] <= 1
    assert doubt["alternative"] == [{"tool": "alarm", "arguments": {"minutes": 5}}]
    invoke("-o", "audit.html")
    assert "agents agree on another call</span>" in (folder / "audit.html").read_text("utf-8")
    files = [f"{agent}={agent.partition('/')[2]}.jsonl" for agent in AGENTS]
    result = rc.audit("goldens.jsonl", tools="tools.json", trajectories=files[::-1], only="doubts")
    assert (
        json.loads(msgspec.json.encode(result.doubts)) == read["doubts"]
    )  # in whatever order files are named


def test_one_agent_is_no_reason_to_doubt(folder: Path) -> None:
    assert "No reason to doubt" in invoke("--only", "doubts", agents=AGENTS[:1]).output


def test_only_a_certain_doubt_fails_a_strict_audit(folder: Path) -> None:
    assert invoke("--strict").exit_code == 0
    write(folder / "goldens.jsonl", [row(1), row(2), row(5, "soon")])
    assert invoke("--strict", "--only", "doubts").exit_code == 1
    assert invoke("--only", "doubts").exit_code == 0


def test_without_doubts_that_is_said(folder: Path) -> None:
    write(folder / "goldens.jsonl", [row(1), row(2)])
    assert invoke("--only", "doubts").output.splitlines()[0] == "No reason to doubt any of 2 goldens."


@pytest.mark.parametrize(
    ("spec", "name", "family", "file"),
    [("runs/a-1.jsonl", "a-1", "a", "runs/a-1.jsonl"), ("gpt-5=x.jsonl", "gpt-5", "openai", "x.jsonl"),
     ("meta/llama=x.jsonl", "llama", "meta", "x.jsonl"), ("meta/=x.jsonl", "x", "meta", "x.jsonl")],
)  # fmt: skip
def test_a_file_names_its_agent(spec: str, name: str, family: str, file: str) -> None:
    voter, path = agent_of_file(spec)
    assert (voter.name, voter.of_family, path) == (name, family, Path(file))


def test_a_file_that_is_not_there_is_said(folder: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        invoke("--trajectories", "a=nowhere.jsonl")
