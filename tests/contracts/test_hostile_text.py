"""Hostile text in every field of every input of every command does nothing to terminal, log, page or spreadsheet."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from rightcall.cli.main import main

STEERS = (
    "x\x1b]52;c;aGk=\x07\x1b[2J\x1b[8mhidden\x9b31m\u202eabc\u2066 [/x][bold]{0} :smile: "
    "##[error]y ##vso[task.x]z <script>alert(1)</script> <img src=x onerror=alert(1)> | `c` ]]> "
    "\n::error::pwn\r\n  ::set-env name=A::b\n=1+1"
)
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
COMMAND = re.compile(r"^[ \t]*::(?!(error|warning|notice) (title|file)=)|##\[|##vso\[", re.MULTILINE)
OUR_COLOURS = re.compile(r"\x1b\[(?!8m)[0-9;]*m|\x1b\[(\?25[hl]|2K|1A)|\r")
"""Styles, and what the progress bar needs: hide and show the cursor, clear a line, go one up."""


def marked(name: str) -> str:
    return f"{name}{STEERS}"


def write_files(folder: Path) -> None:
    """A suite that runs, with the text wherever text may be."""
    name = marked("tool")
    schema = {
        "type": "object",
        "title": STEERS,
        "properties": {
            marked("city"): {
                "type": "string",
                "description": STEERS,
                "enum": [STEERS, "b"],
                "default": STEERS,
            },
            "days": {"type": "integer", "description": marked("the days ")},
        },
        "required": [marked("city")],
    }
    tools = [{"name": name, "description": STEERS, "title": STEERS, "input_schema": schema}]
    tools.append({"name": marked("no"), "description": STEERS, "input_schema": {"type": "object"}})
    expected = {"tool": name, "args": {marked("city"): STEERS, "days": 3}}
    goldens: list[dict[str, Any]] = [
        {
            "id": marked("a"), "input": marked("=input "), "expected_calls": [expected], "tags": [STEERS], "cluster": STEERS,
            "output_contains": [STEERS], "forbidden_calls": [marked("no")], "metadata": {STEERS: STEERS}, "name": "=1+1",
            "comments": STEERS, "expected_output": "@SUM(1)", "context": ["@context"],
        },
        {"id": "=b", "input": "+b", "no_calls": True, "category": "negative", "system": marked("-")},
    ]  # fmt: skip
    call = {"name": name, "arguments": {"days": STEERS, marked("city"): 1, STEERS: STEERS}, "id": "1"}
    replies = [
        {
            "golden": golden["id"],
            "turns": [{"calls": [call, {**call, "name": STEERS, "id": "2"}]}, {"text": STEERS}],
        }
        for golden in goldens
    ]
    suite = {
        "name": marked("suite"), "dataset": "goldens.jsonl", "tools": "tools.json",
        "agent": {"model": "scripted:script.json", "system": STEERS, "mode": "loop"}, "quarantine": [STEERS],
        "mocks": {name: {"result": STEERS}}, "gate": {"min": 0.5, "by": {"tags": {STEERS: 0.5}}},
    }  # fmt: skip
    trajectories = [
        {
            "golden_id": golden["id"],
            "calls": [call],
            "output": STEERS,
            "error": STEERS,
            "stop_reason": "agent_error",
        }
        for golden in goldens
    ]
    faults = {"faults": [{"type": "wrong_value", "tool": name, "path": STEERS, "value": STEERS}]}
    files: dict[str, Any] = {"tools.json": tools, "suite.json": suite, "faults.json": faults}
    files |= {"script.json": {"format": "rightcall/script/1", "replies": replies}}
    files |= {
        "broken.json": {**suite, STEERS: 1},
        "wrong.json": [{STEERS: 1}],
        "lock.json": {"tools": {STEERS: "1"}},
    }
    for path, value in files.items():
        (folder / path).write_text(json.dumps(value))
    for path, rows in {
        "goldens.jsonl": goldens,
        "t.jsonl": trajectories,
        "bad.jsonl": [{STEERS: 1}, {"id": 3}],
    }.items():
        (folder / path).write_text("".join(json.dumps(row) + "\n" for row in rows))


COMMANDS = [
    ["run", "suite.json"],
    ["run", "suite.json", "--dry-run"],
    ["run", "suite.json", "--json"],
    ["run", "suite.json", "--model", "scripted:script.json", "--model", "keyword:"],
    ["run", "suite.json", "--faults", "faults.json"],
    ["run", "broken.json"],
    ["run", "suite.json", "--only", STEERS],
    ["run", "suite.json", "--model", f"nobody:{STEERS}"],
    ["score", "goldens.jsonl", "t.jsonl", "--tools", "tools.json"],
    ["score", "goldens.jsonl", "t.jsonl", "--json"],
    ["score", "goldens.jsonl", "t.jsonl", "--metric", STEERS],
    ["gate", "last", "--suite", "suite.json"],
    ["gate", "last", "--min", "0.5", "--json"],
    ["compare", "last", "last"],
    ["compare", "last", "last", "--json"],
    ["runs", "list", "--flaky", "last"],
    ["gate", "--plan", "--min", "0.5", "--target", "0.9", "--suite", "suite.json"],
    ["dataset", "check", "goldens.jsonl", "--tools", "tools.json"],
    ["dataset", "check", "goldens.jsonl", "--tools", "tools.json", "--quality", "--run", "last"],
    ["dataset", "check", "bad.jsonl", "--skip-bad"],
    ["dataset", "check", "bad.jsonl"],
    ["dataset", "convert", "goldens.jsonl", "-o", "made.csv"],
    ["dataset", "convert", "goldens.jsonl", "-o", "deepeval.csv", "--to", "deepeval"],
    ["dataset", "push", "goldens.jsonl", "mine", "--author", STEERS],
    ["dataset", "list"],
    ["dataset", "pull", STEERS, "-o", "pulled.jsonl"],
    ["dataset", "split", "goldens.jsonl", "-o", "one.jsonl", "two.jsonl"],
    ["list", "tools", "tools.json"],
    ["list", "tools", "tools.json", marked("tool")],
    ["list", "tools", "tools.json", STEERS],
    ["mcp", "call", "tools.json", marked("tool"), "--args", json.dumps({marked("city"): STEERS})],
    ["lint", "tools.json"],
    ["lint", "tools.json", "--suggest"],
    ["lint", "tools.json", "--format", "github"],
    ["lint", "tools.json", "--format", "json"],
    ["lint", "tools.json", "--lock", "lock.json"],
    ["lint", "wrong.json"],
    ["lint", f"{STEERS}.json"],
    ["runs", "list"],
    ["runs", "list", "--json"],
    ["runs", "show", "last"],
    ["runs", "show", STEERS],
    ["runs", "export", "last"],
    ["runs", "report", "last", "--format", "markdown"],
    ["runs", "report", "last", "--format", "json"],
    ["runs", "report", "last", "--format", "junit", "-o", "junit.xml"],
    ["runs", "report", "last", "-o", "report.html"],
    ["list", "metrics", STEERS],
    ["list", "rules", STEERS],
    ["list", "models", STEERS],
    [STEERS],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile")
    write_files(made)
    return made


def run(
    folder: Path, command: list[str], capfd: Any, monkeypatch: pytest.MonkeyPatch, **environment: str
) -> str:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "argv", ["rightcall", *command])
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        main()
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    return out + err


@pytest.mark.parametrize("coloured", [False, True], ids=["log", "terminal"])
@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: " ".join(command)[:40].encode("ascii", "replace").decode()
)
def test_what_a_command_prints_is_inert(command, coloured, folder, capfd, monkeypatch):
    if not (folder / ".rightcall").exists():
        run(folder, COMMANDS[0], capfd, monkeypatch)
    said = run(folder, command, capfd, monkeypatch, **({"FORCE_COLOR": "1"} if coloured else {}))
    left = OUR_COLOURS.sub("", said) if coloured else said
    assert not HARMFUL.search(left), repr(HARMFUL.split(left)[0][-80:])
    assert not COMMAND.search(left), repr(COMMAND.search(left))


def test_pages_and_files_hold_the_text_as_text(folder, capfd, monkeypatch):
    for command in (COMMANDS[0], ["runs", "report", "last", "-o", "report.html"], ["runs", "report", "last", "-o", "junit.xml"],
                    ["runs", "report", "last", "-o", "report.md"], ["lint", "tools.json", "--format", "sarif", "--output", "s.sarif"]):  # fmt: skip
        run(folder, command, capfd, monkeypatch)
    page = (folder / "report.html").read_text()
    markdown = (folder / "report.md").read_text()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    for text in (page, markdown):  # in Markdown it is in `code`, which tests/show renders
        assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202e]", text)
    assert ElementTree.parse(folder / "junit.xml").getroot() is not None
    assert json.loads((folder / "s.sarif").read_text())["runs"]


@pytest.mark.parametrize("dialect", ["native", "deepeval"])
def test_no_cell_of_a_table_is_a_formula_and_all_are_read_back(dialect, folder, capfd, monkeypatch):
    from rightcall.datasets.goldens import load_goldens

    run(
        folder,
        ["dataset", "convert", "goldens.jsonl", "-o", f"{dialect}.csv", "--to", dialect],
        capfd,
        monkeypatch,
    )
    with (folder / f"{dialect}.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [g.input for g in load_goldens(folder / f"{dialect}.csv")] == [
        g.input for g in load_goldens(folder / "goldens.jsonl")
    ]
