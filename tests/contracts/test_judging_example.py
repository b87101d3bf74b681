"""examples/judging: two people label a run, and the suite learns what its judge is worth; the page's numbers are measured."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.stories
EXAMPLE = Path(__file__).parents[2] / "examples" / "judging"


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """Each command of the page in order, by its words, with what it printed; labelling by hand is left out."""
    folder = tmp_path_factory.mktemp("judging") / "judging"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", ".rightcall", "labels"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RIGHTCALL")}
    environment["COLUMNS"] = "200"

    def rightcall(*words: str) -> str:
        command = [sys.executable, "-m", "rightcall.cli.main", *words]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1, 3), done.stdout + done.stderr
        return done.stdout

    printed = {}
    for line in (EXAMPLE / "README.md").read_text("utf-8").splitlines():
        if not line.startswith("    rightcall ") or " --by " in line:
            continue
        words = line.partition("#")[0].split("rightcall ")[1].strip()
        if "--again" in words:
            suite = folder / "suite.yaml"
            suite.write_text(suite.read_text("utf-8").replace("version=1", "version=2"), "utf-8")
        printed[words] = rightcall(*words.split())
    printed["json"] = rightcall("judge", "rate", "--json")
    return printed


def test_the_page_says_what_the_commands_print(story):
    page = (EXAMPLE / "README.md").read_text("utf-8")
    assert "48 of 60 goldens passed" in story["run suite.yaml"] and "the judge passes 48 of 60" in page
    assert "INCONCLUSIVE" in story["run suite.yaml"]
    assert "46 labels: people pass 58%" in story["judge rate"] and "people 58%" in page
    assert "2 cases disputed: refund-37, refund-47" in story["judge rate"]
    assert "48 labels: people pass" in story["judge status"] and "ana and ben" in story["judge status"]
    drift = {
        point["judge"]: point["agreement"]["beyond_chance"] for point in json.loads(story["json"])["drift"]
    }
    first, second = (f"{next(k for name, k in drift.items() if f'judge-{v},' in name):.2f}" for v in (1, 2))
    assert f"from κ {first} to {second}" in page
    assert "leniency" in story["judge rate --again"] and "*" in story["judge rate --again"]


def test_the_goldens_are_what_the_script_writes(tmp_path):
    shutil.copy(EXAMPLE / "make_goldens.py", tmp_path)
    subprocess.run([sys.executable, "make_goldens.py"], cwd=tmp_path, check=True)
    assert (tmp_path / "goldens.jsonl").read_bytes() == (EXAMPLE / "goldens.jsonl").read_bytes()
