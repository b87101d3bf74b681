"""examples/shop: six causes at once are named in the order of danger, and `improve` removes what it can prove."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.stories

EXAMPLE = Path(__file__).parents[2] / "examples" / "shop"
CAUSES = [
    ("confusable_pair", ["delete_customer", "deactivate_customer"], [], "forbidden call"),
    ("unit_missing", ["refund_order"], ["amount"], "destructive mistake"),
    ("no_abstention_guidance", [], [], "destructive mistake"),
    ("narrow_description", ["search_products"], [], ""),
    ("missing_lookup", ["update_address"], ["customer_id"], ""),
    ("enum_missing", ["ship_order"], ["method"], ""),
]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """What the commands of the page print, in order, in a copy of the example."""
    folder = tmp_path_factory.mktemp("shop") / "shop"
    shutil.copytree(EXAMPLE, folder)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RIGHTCALL")}

    def rightcall(*words: str) -> str:
        command = [sys.executable, "-m", "rightcall.cli.main", *words]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return done.stdout

    rightcall("run", "suite.yaml")
    before = json.loads(rightcall("analyze", "--json"))
    improvement = json.loads(rightcall("improve", "--json"))
    subprocess.run(["git", "apply", "improve.patch"], cwd=folder, check=True)
    rightcall("run", "suite.yaml")
    return before, improvement, json.loads(rightcall("analyze", "--json"))


def test_all_six_causes_are_named_the_dangerous_first(story):
    before, _, _ = story
    findings = [(f["cause"], f["tools"], f["parameters"], f["danger"]) for f in before["findings"]]
    assert findings[: len(CAUSES)] == CAUSES
    assert all(finding["stated"] for finding in before["findings"][:6])
    assert before["findings"][0]["dangerous"] == 7


def test_every_change_of_the_six_is_proven_together_on_goldens_it_never_saw(story):
    _, improvement, _ = story
    assert improvement["outcome"] == "accepted", improvement["sentence"]
    assert all(cause in improvement["sentence"] for cause, _, _, _ in CAUSES)
    assert (
        "from find_customer" not in improvement["patch"]
        and "returned by find_customer" in improvement["patch"]
    )
    assert "How much to refund, in cents" in improvement["patch"]


def test_what_is_left_afterwards_is_what_the_page_says(story):
    before, _, after = story
    page = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    assert f"fails {before['failed']} of {before['trials']} trials" in page
    assert f"fails {after['failed']} of {after['trials']}" in page
    assert after["failed"] < before["failed"] / 10
    assert sum(finding.get("dangerous", 0) for finding in before["findings"]) == 25
    assert [finding for finding in after["findings"] if finding.get("danger")] == []


def test_no_danger_is_left_on_held_out_goldens(story):
    _, improvement, _ = story
    assert [(left["danger"], left["before"], left.get("after", 0)) for left in improvement["danger"]] == [
        ("forbidden call", 2, 0),
        ("destructive mistake", 12, 0),
    ]


def test_no_description_excludes_what_it_says_of_itself(story):
    _, improvement, _ = story
    texts = re.findall(r'^\+.*"description": "(.*)"', improvement["patch"], re.MULTILINE)
    excluded = [
        (text.partition(" Not for")[0].lower(), word)
        for text in texts
        for words in re.findall(r"Not for requests that mention (.+?):", text)
        for word in words.split(", ")
    ]
    assert excluded and [(text, word) for text, word in excluded if word in text] == []
