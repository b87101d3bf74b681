"""The TAB key: what shells ask for, and what they are offered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import rightcall as rc
from rightcall.cli.main import COMPLETION, cli

PROGRAM = Path(sys.executable).with_name("rightcall")


def offered(*words: str) -> list[str]:
    """What is offered for the last word."""
    items = ShellComplete(cli, {}, "rightcall", COMPLETION).get_completions(list(words[:-1]), words[-1])
    return [item.value for item in items]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    golden = rc.Golden("Weather in Hue?", id="hue", expected_calls=[rc.ExpectedCall("weather")])
    run = rc.evaluate(lambda golden: [rc.ToolCall("weather", {})], [golden], store=".rightcall/rightcall.db")
    models = {"small": {"model": "keyword:"}}
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "small"}, "models": models}
    Path("suite.json").write_text(json.dumps(suite), "utf-8")
    return run


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("che",), ["check"]),
        (("run", "suite.json", "--tri"), ["--trials"]),
        (("check", "--ba"), ["--baseline", "--base-ref"]),
        (("run", "suite.json", "--record", "re"), ["refresh", "replay"]),
        (("run", "suite.json", "--metric", "tool_sel"), ["tool_selection"]),
        (("run", "suite.json", "--model", "sm"), ["small"]),
        (("run", "suite.json", "--model", "keyw"), ["keyword:"]),
        (("runs", "sho"), ["show"]),
    ],
)
def test_commands_options_and_values_are_offered(project, words, expected):
    assert offered(*words) == expected


@pytest.mark.parametrize(
    "words",
    [("gate",), ("runs", "report"), ("runs", "show"), ("gate", "--baseline"), ("run", "suite.json", "--resume"), ("lint", "x", "--run")],
)  # fmt: skip
def test_stored_runs_are_offered(project, words):
    assert offered(*words, "") == ["last", project.id]
    assert offered(*words, project.id[:6]) == [project.id]


def test_nothing_is_offered_where_nothing_can_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("suite.json").write_text("{", "utf-8")
    assert offered("run", "suite.json", "--model", "sm") == []
    assert offered("gate", "la") == [] and list(tmp_path.iterdir()) == [tmp_path / "suite.json"]


def test_bash_completes_for_real(project):
    """Bash evaluates the script and asks the program, as when TAB is pressed."""
    script = (
        f'eval "$({COMPLETION}=bash_source rightcall)"\n'
        f"COMP_WORDS=(rightcall gate {project.id[:6]}); COMP_CWORD=2\n"
        "_rightcall_completion rightcall\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{project.id}\n", "")


@pytest.mark.parametrize(
    ("shell", "mark", "lines"),
    [
        ("zsh", "#compdef rightcall", ["plain", "run", "plain", "runs"]),
        ("fish", "complete --no-files --command rightcall", ["plain,run", "plain,runs"]),
    ],
)
def test_other_shells_get_a_script_and_answers_in_their_form(shell, mark, lines, tmp_path):
    def program(asked: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, COMPLETION: f"{shell}_{asked}", **variables}
        return subprocess.run(
            [PROGRAM], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
        )

    script = program("source")
    assert (script.returncode, script.stderr) == (0, "") and mark in script.stdout
    answer = program("complete", COMP_WORDS="rightcall ru", COMP_CWORD="ru" if shell == "fish" else "1")
    found = [line.partition("\t")[0] for line in answer.stdout.splitlines()]
    assert (answer.returncode, answer.stderr) == (0, "")
    assert [line for line in found if line in lines] == lines
