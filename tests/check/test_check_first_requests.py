"""`check` of an agent that is code: its first requests are compared without asking the model."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import sys
from pathlib import Path
from unittest import mock

import msgspec
import pytest

from rightcall.cli.main import main
from rightcall.run.baseline_file import load_baseline, write_baseline
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal

CITIES = ("Hanoi", "Hue", "Da Nang", "Hoi An", "Sapa", "Dalat", "Vinh", "Can Tho", "Pleiku", "Nha Trang")
GOLDENS = 40
AGENT = """
import outside
from openai import OpenAI

CLIENT = OpenAI(base_url="ADDRESS/v1", api_key="k")
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}


def agent(golden):
    outside.before(CLIENT)
    system = outside.prompt(golden)
    messages = [{"role": "system", "content": system}, {"role": "user", "content": golden.input}]
    return CLIENT.chat.completions.create(model="m", messages=messages, tools=[TOOL])
"""
OUTSIDE = """
def before(client):
    pass

def prompt(golden):
    return "Answer."
"""
"""A package outside the project, whose files are not watched."""
SUITE = """
name: NAME
dataset: goldens.jsonl
agent: {model: "NAME:agent"}
tools: [{name: get_weather, input_schema: {type: object}}]
trials: 2
"""

numbers = itertools.count()


class Project:
    """A suite in a folder, with an agent that asks a model on loopback."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.name = f"asking_agent_{next(numbers)}"
        goldens = [
            {
                "id": f"g{i:02}",
                "input": f"weather {CITIES[i % 10]} {i}",
                "expected_calls": [{"tool": "get_weather"}],
            }
            for i in range(GOLDENS)
        ]
        (folder / "pyproject.toml").touch()
        (folder / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
        (folder / f"{self.name}.py").write_text(AGENT.replace("ADDRESS", address))
        (folder / "suite.yaml").write_text(SUITE.replace("NAME", self.name))

    def check(self, *words: str, baseline: str = "main.jsonl") -> dict:
        with contextlib.chdir(self.folder):
            run("check", "suite.yaml", "--baseline", baseline, "-o", "check.json", *words)
            return json.loads(Path("check.json").read_text(encoding="utf-8"))


def run(*words: str) -> None:
    with pytest.raises(SystemExit), mock.patch.object(sys, "argv", ["rightcall", *words]):
        main()


@pytest.fixture(scope="module")
def model():
    journal = Journal()
    with model_server(journal) as address:
        yield journal, address


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")
    (folder / "outside.py").write_text(OUTSIDE)
    with mock.patch.object(sys, "path", [*sys.path, str(folder)]):
        yield importlib.import_module("outside")


@pytest.fixture(scope="module")
def project(model, outside, tmp_path_factory):
    made = Project(tmp_path_factory.mktemp("project"), model[1])
    with contextlib.chdir(made.folder):
        run("run", "suite.yaml", "--save-baseline", "main.jsonl")
    return made


@pytest.fixture
def sent(model):
    """The number of requests that reached the model since the test began."""
    before = len(model[0].requests)
    return lambda: len(model[0].requests) - before


def test_equal_first_requests_pass_without_a_request(project, sent):
    found = project.check()
    assert (found["verdict"], found["calls"]["spent"], sent()) == ("SAME", 0, 0), found["reason"]
    assert found["compared"]["first_requests"] == GOLDENS
    assert found["compared"]["first_requests"] == GOLDENS


def test_a_prompt_that_changed_where_nobody_watches_is_found_with_its_part_and_goldens(
    project, sent, outside
):
    shout = lambda golden: "Shout." if "Hue" in golden.input else "Answer."  # noqa: E731
    with mock.patch.object(outside, "prompt", shout):
        planned = project.check("--plan")
        assert sent() == 0
        found = project.check()
    assert [(c["kind"], c["name"], c["detail"]) for c in planned["changes"]] == [
        ("first_request", "4 goldens", "system")
    ]
    assert found["changes"] == planned["changes"]
    assert found["calls"]["spent"] == sent() > 0
    assert found["untouched"] == GOLDENS - 4


def test_another_prompt_is_another_question(project, outside):
    def checked(prompt: str) -> dict:
        with mock.patch.object(outside, "prompt", lambda golden: prompt):
            return project.check()

    first = checked("Sing.")
    second = checked("Dance.")
    assert first["seed"] != second["seed"] and second["calls"]["spent"]
    assert checked("Sing.")["seed"] == first["seed"]


def test_an_agent_that_now_acts_first_is_run_instead_and_says_why(project, sent, outside):
    with mock.patch.object(outside, "before", lambda client: client.models.list()):
        planned = project.check("--plan")
        assert sent() == 0
    assert planned["untouched"] == 0 and planned["calls"]["planned"] >= GOLDENS
    assert "acts before it asks a model: GET 127.0.0.1/v1/models" in planned["unknown"]


def test_a_changed_file_with_equal_requests_is_run(project, sent):
    file = project.folder / f"{project.name}.py"
    source = file.read_text()
    try:
        file.write_text(source + "\nLATER = 3\n")
        planned = project.check("--plan")
    finally:
        file.write_text(source)
    assert planned["untouched"] == 0 and planned["compared"]["first_requests"] == GOLDENS
    assert sent() == 0


def test_full_runs_everything_and_compares_nothing(project, sent):
    found = project.check("--full", "--plan")
    assert (found["compared"]["first_requests"], found["untouched"], sent()) == (0, 0, 0)


@pytest.mark.stories
def test_a_clock_is_masked_when_trials_of_the_baseline_show_it(project, sent, outside, tmp_path):
    def checked(baseline: Path) -> dict:
        with mock.patch.object(outside, "prompt", lambda golden: "It is 2026-11-18. Answer."):
            return project.check("--plan", baseline=str(baseline))

    days = []
    for day in (16, 17):
        clock = mock.patch.object(outside, "prompt", lambda golden, day=day: f"It is 2026-11-{day}. Answer.")
        with clock, contextlib.chdir(project.folder):
            run("run", "suite.yaml", "--save-baseline", str(tmp_path / f"{day}.jsonl"))
        days.append(load_baseline(tmp_path / f"{day}.jsonl"))
    sent_before = sent()
    assert checked(tmp_path / "16.jsonl")["changes"][0]["detail"] == "system"
    both = [
        msgspec.structs.replace(line, first=line.first + other.first)
        for line, other in zip(days[0].lines, days[1].lines, strict=True)
    ]
    write_baseline(msgspec.structs.replace(days[0], lines=tuple(both)), tmp_path / "both.jsonl")
    masked = checked(tmp_path / "both.jsonl")
    assert masked["untouched"] == GOLDENS and sent() == sent_before
    assert any("system vary between trials of the baseline" in note for note in masked["notes"])
