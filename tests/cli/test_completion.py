"""The TAB key: what shells ask for, and what they are offered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from rightcall.cli.main import COMPLETION, cli

PROGRAM = Path(sys.executable).with_name("rightcall")


def offered(*words: str) -> list[str]:
    """What is offered for the last word."""
    items = ShellComplete(cli, {}, "rightcall", COMPLETION).get_completions(list(words[:-1]), words[-1])
    return [item.value for item in items]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("che",), ["check"]),
        (("run", "suite.json", "--tri"), ["--trials"]),
        (("check", "--ba"), ["--baseline", "--base-ref"]),
        (("run", "suite.json", "--record", "re"), ["refresh", "replay"]),
        (("runs", "sho"), ["show"]),
    ],
)
def test_commands_options_and_choices_are_offered(words, expected):
    assert offered(*words) == expected


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
