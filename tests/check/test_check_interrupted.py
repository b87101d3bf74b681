"""A check that was killed or interrupted continues where it stopped: stored trials are not repeated."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.store.address import open_store
from rightcall.store.base import RunFilter
from tests.support.patience import SECONDS, wait_until

pytestmark = pytest.mark.stories

GOLDENS = 60
BLOCKED_AFTER = 25
AGENT = """
import asyncio
from pathlib import Path

async def answer(golden):
    with open("asked.txt", "a") as file:
        file.write(golden.id + "\\n")
    if Path("block").exists() and len(Path("asked.txt").read_text().split()) > {blocked}:
        await asyncio.sleep(600)
    return [{{"name": "find_order", "arguments": {{}}}}]
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A suite with a baseline, and a prompt that changed since."""
    tmp_path = tmp_path_factory.mktemp("project")
    (tmp_path / "own_agent.py").write_text(AGENT.format(blocked=BLOCKED_AFTER))
    tools = [{"name": "find_order", "description": "Find an order by its number.", "input_schema": {}}]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    lines = [
        {"id": f"g{i}", "input": f"order {i}", "expected_calls": [{"tool": "find_order"}]}
        for i in range(GOLDENS)
    ]
    (tmp_path / "goldens.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    suite = {"name": "shop", "tools": "tools.json", "dataset": "goldens.jsonl", "concurrency": 1}
    (tmp_path / "suite.yaml").write_text(json.dumps(suite | {"agent": {"model": "own_agent:answer"}}))
    assert run(tmp_path, "run", "suite.yaml", "--trials", "2").wait(SECONDS) == 0
    (tmp_path / "suite.yaml").write_text(
        json.dumps(suite | {"agent": {"model": "own_agent:answer", "system": "Be brief."}})
    )
    (tmp_path / "asked.txt").write_text("")
    return tmp_path


@pytest.fixture
def folder(project, tmp_path):
    """A separate copy."""
    return Path(shutil.copytree(project, tmp_path / "project"))


def run(folder, *words):
    command = [sys.executable, "-m", "rightcall.cli.main", *words, "--store", "results.db"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, cwd=folder, env=environment, **quiet)


def check(folder, *words):
    return run(folder, "check", "suite.yaml", "--baseline", "last", *words)


def asked(folder):
    return (folder / "asked.txt").read_text().split()


def checks(folder):
    with open_store(folder / "results.db", must_exist=True) as store:
        return store.runs.page(RunFilter(tag="check"))


def interrupted(folder, number):
    """A check that is ended by a signal while a trial is in progress and all earlier ones are stored."""
    (folder / "block").touch()
    process = check(folder)
    wait_until(lambda: len(asked(folder)) > BLOCKED_AFTER and checks(folder)[0].results == BLOCKED_AFTER)
    process.send_signal(number)
    assert process.wait(SECONDS) in (130, -signal.SIGKILL)
    (folder / "block").unlink()


def test_a_killed_check_continues_with_the_same_command(folder):
    interrupted(folder, signal.SIGKILL)
    assert check(folder, "-o", "check.json").wait(SECONDS) == 0
    found = json.loads((folder / "check.json").read_text())
    assert len(asked(folder)) == found["calls"]["spent"] + 1  # the trial that was in progress
    assert any("25 trials were stored when this check was interrupted" in note for note in found["notes"])
    assert [stored.finished for stored in checks(folder)] == [True]


def test_a_check_that_was_taken_up_again_ends_as_one_that_was_not(folder):
    """Same verdict, evidence and calls: only the note differs."""
    interrupted(folder, signal.SIGINT)
    assert check(folder, "-o", "check.json").wait(SECONDS) == 0
    resumed = json.loads((folder / "check.json").read_text())
    for path in (folder / "checks").iterdir():
        path.unlink()
    assert check(folder, "-o", "check.json").wait(SECONDS) == 0
    whole = json.loads((folder / "check.json").read_text())
    own = dict.fromkeys(("notes", "run_id", "entry", "budget"), 0)
    assert {**resumed, **own} == {**whole, **own}


def test_another_question_does_not_take_up_an_interrupted_check(folder):
    interrupted(folder, signal.SIGKILL)
    suite = json.loads((folder / "suite.yaml").read_text())
    (folder / "suite.yaml").write_text(json.dumps(suite | {"check": {"drop_rest": 0.12}}))
    assert check(folder, "-o", "check.json").wait(SECONDS) == 0
    found = json.loads((folder / "check.json").read_text())
    assert len(asked(folder)) == BLOCKED_AFTER + 1 + found["calls"]["spent"]


def test_a_check_that_is_still_at_work_is_left_alone(folder):
    (folder / "block").touch()
    first = check(folder)
    wait_until(lambda: len(asked(folder)) > BLOCKED_AFTER)
    (folder / "block").unlink()
    assert check(folder, "-o", "check.json").wait(SECONDS) == 0
    assert first.poll() is None
    assert sorted(stored.finished for stored in checks(folder)) == [False, True]
    first.kill()
    first.wait()
