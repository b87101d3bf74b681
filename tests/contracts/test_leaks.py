"""No key of any known format is in what a command prints or writes, wherever a stranger put it."""

from __future__ import annotations

import ast
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rightcall
from rightcall.cli.main import main
from rightcall.core.redaction.clean_text import scrub
from rightcall.recording.mcp.session import McpSession, RecordedCall
from rightcall.recording.mcp.session_file import write_session
from tests.core.redaction.planted_secrets import KEYS, Chance
from tests.support.source_tree import source_files, syntax_tree

PACKAGE = Path(rightcall.__file__).parent
WRITES = {"write_file", "atomic_write", "write_text", "write_bytes", "fdopen"}
CLEANS = ("scrub", "without_keys", "inert_json")
"""A file that writes text names one of these, or stands below with the reason why it need not."""
DOCUMENTS = "what a user wrote, or will edit: it is kept as it is"
CLEANED_BEFORE = "it gets values without secrets"
NO_TEXT = "nothing in it comes from a model, a tool or a server"
WRITERS = {
    "check/base_process.py": CLEANED_BEFORE,
    "check/stored_checks.py": CLEANED_BEFORE,
    "cli/command_options.py": NO_TEXT,
    "cli/demo.py": NO_TEXT,
    "cli/improve.py": DOCUMENTS,
    "cli/init.py": DOCUMENTS,
    "cli/main.py": NO_TEXT,
    "cli/run_report.py": CLEANED_BEFORE,
    "cli/score.py": DOCUMENTS,
    "core/own_output.py": NO_TEXT,
    "datasets/goldens.py": DOCUMENTS,
    "datasets/trajectories.py": DOCUMENTS,
    "files/atomic.py": NO_TEXT,
    "improve/paraphrases.py": DOCUMENTS,
    "lint/fixer.py": DOCUMENTS,
    "lint/known_findings.py": NO_TEXT,
    "lint/lockfile.py": NO_TEXT,
    "providers/weights.py": NO_TEXT,
    "recording/cassette.py": CLEANED_BEFORE,
    "recording/mcp/session_file.py": CLEANED_BEFORE,
    "run/baseline_file.py": CLEANED_BEFORE,
    "run/trust.py": NO_TEXT,
    "store/sql/core.py": NO_TEXT,
    "limbs/attacks/command.py": DOCUMENTS,
}


def writes_of(path: Path) -> Iterator[str]:
    for node in ast.walk(syntax_tree(path)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        modes = {argument.value for argument in given if isinstance(argument, ast.Constant)}
        if name in WRITES or (
            name == "open" and modes & {"w", "a", "x", "wb", "ab", "xb", "ab+", "r+b", "wt"}
        ):
            yield f"{name} in line {node.lineno}"


def test_every_writer_removes_keys_or_says_why_not():
    writers = {str(path.relative_to(PACKAGE)): list(writes_of(path)) for path in source_files()}
    unknown = {
        name: writes
        for name, writes in writers.items()
        if writes and name not in WRITERS and not any(word in (PACKAGE / name).read_text() for word in CLEANS)
    }
    assert unknown == {}, "use rightcall.show.lines.write_report, or add the file to WRITERS"
    assert [name for name in WRITERS if not writers[name]] == []


PLANTED = {name: make(Chance(f"leak {name}")) for name, make in KEYS.items()}
TEXT = " ; ".join(PLANTED.values())
LINES = {
    name: max((line for line in key.split("\n") if "-----" not in line), key=len)
    for name, key in PLANTED.items()
    if name != "confirmation of a call"  # who confirms a call must read its token, which is good once
}
SERVER = f"""
import json, sys
TEXT = {TEXT!r}
TOOL = {{"name": "find", "description": "Finds. " + TEXT, "inputSchema": {{"type": "object"}}, "annotations": {{"readOnlyHint": True}}}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        info = {{"name": "keys", "version": TEXT}}
        answer = {{"result": {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}}, "serverInfo": info}}}}
    elif asked["method"] == "tools/list":
        answer = {{"result": {{"tools": [TOOL]}}}}
    elif asked["params"]["arguments"]:
        answer = {{"result": {{"content": [{{"type": "text", "text": TEXT}}], "isError": True}}}}
    else:
        answer = {{"error": {{"code": -32000, "message": TEXT}}}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], **answer}}), flush=True)
"""


def write_project(folder: Path) -> None:
    """A suite whose tools, agent and server say every key, recordings of it, and a session from before that."""
    tool = {"name": "find", "description": f"Finds. {TEXT}", "input_schema": {"type": "object"}}
    goldens = [
        {"id": "called", "input": "Find it", "expected_calls": [{"tool": "find", "args": {"q": "x"}}]},
        {"id": "said", "input": "Say it", "no_calls": True, "output_contains": ["never said"]},
    ]
    call = {"name": "find", "arguments": {"q": TEXT, "other": [TEXT]}, "id": "1"}
    replies = [
        {"golden": "called", "turns": [{"text": TEXT, "calls": [call]}, {"text": TEXT}]},
        {"golden": "said", "turns": [{"text": TEXT}]},
    ]
    suite = {
        "name": "keys", "dataset": "goldens.jsonl", "tools": "tools.json", "mocks": {"find": {"result": {"text": TEXT}}},
        "agent": {"model": "scripted:script.json", "system": "Be brief.", "mode": "loop"},
        "record": {"mode": "auto", "folder": "recordings"},
    }  # fmt: skip
    trajectories = [
        {"golden_id": "called", "calls": [call], "output": TEXT},
        {"golden_id": "said", "calls": [call], "output": TEXT, "error": TEXT, "stop_reason": "agent_error"},
    ]
    files: dict[str, Any] = {"tools.json": [tool], "suite.json": suite}
    files["script.json"] = {"format": "rightcall/script/1", "replies": replies}
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value))
    for name, rows in {"goldens.jsonl": goldens, "t.jsonl": trajectories}.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "server.py").write_text(SERVER)
    calls = (
        RecordedCall(
            "find", {"q": "1"}, result={"content": [{"type": "text", "text": "found"}], "isError": False}
        ),
        RecordedCall("find", {}, error={"code": -32000, "message": "busy"}),
    )
    definition = {"name": "find", "description": "Finds.", "inputSchema": {"type": "object"}}
    write_session(
        folder / "before.mcp.jsonl", McpSession({"serverInfo": {"name": "keys"}}, (definition,), calls=calls)
    )


ADDRESS = "mcp:" + shlex.join([sys.executable, "server.py"])
COMMANDS = [
    ["run", "suite.json"],
    ["run", "suite.json", "--json"],
    ["run", "suite.json", "--trials", "2"],
    ["gate", "last", "--min", "0.5"],
    ["compare", "last", "last", "--json"],
    ["analyze", "last"],
    ["analyze", "last", "--json"],
    ["runs", "show", "last"],
    ["runs", "show", "last", "--json"],
    ["runs", "export", "last"],
    ["runs", "export", "last", "-o", "results.jsonl"],
    *(["runs", "report", "last", "-o", f"report.{suffix}"] for suffix in ("html", "md", "xml", "json")),
    ["check", "suite.json", "--baseline", "last", "--full", *["-o", "c.md", "-o", "c.json", "-o", "c.xml", "-o", "c.sarif", "-o", "codequality.json"]],
    ["score", "goldens.jsonl", "t.jsonl"],
    ["score", "goldens.jsonl", "t.jsonl", "--json"],
    ["audit", "suite.json"],
    *(["audit", "suite.json", "-o", f"audit.{suffix}"] for suffix in ("html", "json")),
    *(["lint", "tools.json", "--format", form, "-o", f"lint.{form}.txt"] for form in ("text", "json", "sarif", "github")),
    ["lint", "tools.json", "--format", "github"],
    ["lint", "tools.json", "--json"],
    ["lint", "tools.json", "--write-baseline", "known.json"],
    ["lint", "tools.json", "--lock", "lock.json", "--update-lock"],
    ["list", "tools", "tools.json", "find"],
    ["list", "tools", ADDRESS, "--json"],
    ["lint", ADDRESS],
    ["mcp", "call", ADDRESS, "find"],
    ["mcp", "call", ADDRESS, "find", "--args", '{"q": "1"}'],
    ["mcp", "record", ADDRESS, "-o", "after.mcp.jsonl", "--calls", "before.mcp.jsonl"],
    ["mcp", "verify", "before.mcp.jsonl", ADDRESS, "--allow-writes"],
    ["mcp", "verify", "before.mcp.jsonl", ADDRESS, "--allow-writes", "--json", "-o", "verify.xml"],
    ["run", f"{TEXT}.yaml"],
]  # fmt: skip


@pytest.mark.stories
def test_no_key_is_printed_or_written(tmp_path, capfd, monkeypatch):
    write_project(tmp_path)
    inputs = set(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    leaks = []
    for command in COMMANDS:
        monkeypatch.setattr(sys, "argv", ["rightcall", *command])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        refused = ended.value.code == 2 and command[1] != f"{TEXT}.yaml"
        assert not refused and "Traceback" not in err, f"{command[:3]}: {err[-900:]}"
        said = {"stdout": out, "stderr": err}
        said |= {path.name: path.read_text("utf-8", "replace") for path in written(tmp_path, inputs)}
        leaks += [
            (" ".join(command)[:60], place, name)
            for place, text in said.items()
            for name, line in LINES.items()
            if line in text
        ]
    assert leaks == []


def written(folder: Path, inputs: set[Path]) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and path not in inputs)


def test_every_planted_key_is_one_that_is_known():
    assert len(PLANTED) >= 65 and not [name for name, key in PLANTED.items() if scrub(key) == key]
