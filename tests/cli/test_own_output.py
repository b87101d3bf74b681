"""A command is alone on stdout, whatever code under test prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from rightcall.cli.command_options import OwnCommand
from rightcall.cli.main import MENU, cli

NOISY = """
import os, subprocess, sys, threading

print("while it is imported")

def answer(golden) -> str:
    print("to stdout")
    thread = threading.Thread(target=print, args=("in a thread",))
    thread.start()
    thread.join()
    os.write(1, b"to the file descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('in a child')"], check=True)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open("child", "w") as file:
        file.write(str(child.pid))
    print("and a line without an end", end="")
    return "Hello."
"""
LINES = (
    "agent: while it is imported",
    "agent: to stdout",
    "agent: in a thread",
    "to the file descriptor",
    "in a child",
)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Run `rightcall …` as a program in a folder with an agent that prints; stderr joins stdout on request."""
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    (tmp_path / "goldens.jsonl").write_text(
        '{"id": "hi", "input": "Hi!", "no_calls": true}', encoding="utf-8"
    )
    (tmp_path / "suite.yaml").write_text(
        'dataset: goldens.jsonl\nagent: {model: "noisy:answer"}\n', encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def run(*words: str, stderr: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
        # Files, as a pipe would be read until the child that lives on has closed its stderr.
        out = tmp_path / "out"
        err = tmp_path / "err"
        with out.open("w") as stdout, err.open("w") as file:
            done = subprocess.run(
                [sys.executable, "-m", "rightcall", *words],
                cwd=tmp_path,
                check=False,
                stdout=stdout,
                stderr=file if stderr == subprocess.PIPE else stdout,
            )
        _end_child(tmp_path)
        return subprocess.CompletedProcess(
            [], done.returncode, out.read_text("utf-8"), err.read_text("utf-8")
        )

    return run


def _end_child(folder: Path) -> None:
    import os
    import signal

    if (folder / "child").exists():
        os.kill(int((folder / "child").read_text()), signal.SIGTERM)


@pytest.mark.stories
def test_json_is_alone_on_stdout_and_what_an_agent_prints_is_on_stderr(program):
    done = program("run", "suite.yaml", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0]["golden_id"] == "hi"
    assert rows[-1]["verdict"] == "PASS"
    assert [line for line in LINES if line not in done.stderr.splitlines()] == []


@pytest.mark.stories
def test_a_reader_of_json_behind_a_pipe_reads_all_of_it_and_ends(program, tmp_path):
    command = '"$0" -m rightcall run suite.yaml --json 2> err | "$0" -m json.tool --json-lines'
    line = ["sh", "-c", command, sys.executable]
    piped = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    _end_child(tmp_path)
    assert (piped.returncode, piped.stderr) == (0, "")
    assert '"verdict": "PASS"' in piped.stdout


@pytest.mark.stories
def test_the_verdict_begins_on_a_line_of_its_own(program):
    lines = program("run", "suite.yaml", stderr=subprocess.STDOUT).stdout.splitlines()
    assert "agent: and a line without an end" in lines
    assert any(line.startswith("PASS ") for line in lines)


@pytest.mark.stories
@pytest.mark.parametrize(
    "words",
    [("lint", "tools.py", "--import", "--format", "json"), ("list", "tools", "tools:pause", "--json")],
)
def test_modules_of_tools_may_print_too(program, tmp_path, words):
    (tmp_path / "tools.py").write_text(
        "import os, rightcall as rc\nos.write(1, b'loading\\n')\nprint('half', end='')\n"
        '@rc.tool\ndef pause(account: str) -> str:\n    """Pauses an account."""\n    return ""\n',
        encoding="utf-8",
    )
    done = program(*words)
    json.loads(done.stdout)
    assert "loading" in done.stderr
    assert "agent: half" in done.stderr


def _leaves(command: click.Command, context: click.Context) -> list[click.Command]:
    if not isinstance(command, click.Group):
        return [command]
    children = [command.get_command(context, name) for name in command.list_commands(context)]
    return [leaf for child in children if child for leaf in _leaves(child, context)]


def test_every_command_is_kept_apart_from_what_code_under_test_prints():
    context = click.Context(cli)
    commands = [cli.get_command(context, name) for section in MENU.values() for name in section]
    leaves = [leaf for command in commands if command for leaf in _leaves(command, context)]
    assert [leaf.name for leaf in leaves if not isinstance(leaf, OwnCommand)] == []
