"""What a new user meets first: no arguments, `init`, and the first run."""

from __future__ import annotations

import shlex

import pytest

from tests.cli.test_demo import rightcall


def test_without_arguments_it_says_where_to_start(tmp_path):
    done = rightcall(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "rightcall demo" in done.stdout
    assert "rightcall --help" in done.stdout


def test_init_says_that_its_model_is_only_a_baseline_and_how_to_use_another(tmp_path):
    text = rightcall(tmp_path, "init").stdout
    assert "its model is keyword:" in text
    assert "--model openai:" in text
    assert "its model is" not in rightcall(tmp_path, "init", "mine", "--model", "local:smollm2").stdout


@pytest.mark.stories
def test_the_first_command_that_init_proposes_runs(tmp_path):
    text = rightcall(tmp_path, "init", "my suite").stdout
    first = next(line for line in text.splitlines() if "rightcall run" in line)
    done = rightcall(tmp_path, *shlex.split(first.removeprefix("next:"))[1:])
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("FAIL  ")
