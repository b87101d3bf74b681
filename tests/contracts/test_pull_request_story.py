"""examples/pull-request: the whole story runs offline and ends as its page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pull-request"


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    folder = tmp_path_factory.mktemp("story")
    bin_folder = tmp_path_factory.mktemp("bin")
    program = bin_folder / "rightcall"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rightcall.cli.main "$@"\n')
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment = kept | {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "COLUMNS": "110",
        "GITHUB_ACTIONS": "",
    }
    done = subprocess.run(
        ["bash", EXAMPLE / "story.sh", folder], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    chapters = dict(part.split("\n", 1) for part in done.stdout.split("\n== ")[1:])
    return folder, {title.partition(":")[0]: text for title, text in chapters.items()}


@pytest.mark.parametrize(
    ("chapter", "word", "code"),
    [
        ("a README", "PASS: nothing that reaches the model has changed (0 calls)", 0),
        ("a good change", "PASS: track_shipment changed;", 0),
        ("a bad change", "REGRESSED: refund_order changed;", 1),
        ("a change of the prompt", "PASS: the system prompt changed;", 0),
        ("a pull request from a fork", "0 live calls: nothing about the model was tested", 3),
    ],
)
def test_each_change_ends_as_its_page_says(story, chapter, word, code):
    text = story[1][chapter]
    assert word in text
    assert text.rstrip().endswith(f"exit code {code}")


def test_a_check_costs_a_fraction_of_a_full_run(story):
    spent = [
        int(n) for text in story[1].values() for n in re.findall(r"^(\d+) of 360 calls", text, re.MULTILINE)
    ]
    assert len(spent) == 3
    assert sum(spent) < 360


def test_the_bad_change_left_everything_that_ci_needs(story):
    folder, _ = story
    assert (folder / "check.md").read_text().startswith("<!-- rightcall:check:shop -->")
    assert json.loads((folder / "check.sarif").read_text())["runs"][0]["results"]
    assert json.loads((folder / "codequality.json").read_text())
    assert "<failure" in (folder / "check.xml").read_text()


def test_recordings_are_one_file_a_golden_and_prompts_are_kept_once(story):
    folder, _ = story
    recordings = folder / "recordings" / "shop"
    assert len(list(recordings.glob("*.json"))) == 120
    assert 1 <= len(list((recordings / "prompts").glob("*.json"))) <= 5


def test_the_goldens_are_those_their_script_writes():
    made = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, make_goldens as m; print('\\n'.join(map(json.dumps, m.goldens())))",
        ],
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert made.stdout == (EXAMPLE / "goldens.jsonl").read_text()


def test_inputs_of_the_action_reach_scripts_through_the_environment_only():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for step in action["runs"]["steps"]:
        if "run" in step:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"]


def test_the_actions_check_step_runs_in_a_shell(story, tmp_path):
    """The script of the step, on the repository with the planted regression."""
    folder, _ = story
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = next(step["run"] for step in action["runs"]["steps"] if step.get("id") == "check")
    subprocess.run(["git", "switch", "-q", "-f", "bad"], cwd=folder, check=True)
    program = tmp_path / "rightcall"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rightcall.cli.main "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(tmp_path / "out"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_ACTIONS": "true", "SUITE": "suite.yaml",
        "BASELINE": ".rightcall/main.baseline.jsonl.gz", "ARGS": "--again\n--sample\n60", "RECORD": "none",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "rc=1\nverdict=REGRESSED\n" in (tmp_path / "out").read_text()
    assert re.search(r"::error file=goldens.jsonl,line=\d+,title=golden-broken", done.stdout + done.stderr)
    assert "REGRESSED" in (tmp_path / "summary").read_text()


def test_the_templates_are_valid_yaml():
    gitlab = yaml.safe_load((ROOT / "docs" / "ci" / "gitlab.yml").read_text())
    assert gitlab["rightcall-check"]["artifacts"]["reports"] == {
        "junit": "check.xml",
        "codequality": "codequality.json",
    }
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert re.search(hook["files"], "agent/tools.json")
