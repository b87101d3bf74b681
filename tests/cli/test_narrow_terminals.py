"""Every number that a command shows on a wide terminal is whole on a narrow one, for stored runs of real suites."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.records import RecordedTrajectory, Usage
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter

LOOK = (rc.ExpectedCall("look_up_the_weather_in_a_city", {"city": "Hanoi"}),)
TOOL = {
    "name": "look_up_the_weather_in_a_city",
    "description": "The weather in a city, as it is now. Use another tool for forecasts.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
NAMES = ["a-request-about-the-weather-of-a-city-with-a-long-name", "refund", "greeting-in-a-foreign-language"]
MODEL = "tests.cli.test_narrow_terminals:other_agent"
GOLDENS = [
    *(rc.Golden(f"Weather, {name}", id=name, expected_calls=LOOK, tags=("weather",)) for name in NAMES),
    rc.Golden("Say hello", id="no-tool-at-all", category="negative", no_calls=True),
    rc.Golden("What a day", id="nobody-knows-what-should-happen-here"),
]


def agent(golden: rc.Golden) -> rc.Trajectory:
    wrong = golden.id in ("refund", "no-tool-at-all")
    call = rc.ToolCall(TOOL["name"], {"city": "Hue" if wrong else "Hanoi"})
    return rc.Trajectory(calls=(call,), output="Done", usage=Usage(1234, 56, 0.0123), latency_ms=123.4)


def other_agent(golden: rc.Golden) -> rc.Trajectory:
    return rc.Trajectory(calls=(), output="Done", usage=Usage(987, 65, 0.0321), latency_ms=321.0)


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> Path:
    """A folder with a suite, recorded behaviour, and a store with three runs."""
    folder = tmp_path_factory.mktemp("narrow")
    save_goldens(GOLDENS, folder / "goldens.jsonl")
    save_trajectories([RecordedTrajectory(g.id, agent(g)) for g in GOLDENS], folder / "t.jsonl")
    (folder / "tools.json").write_text(json.dumps([TOOL]))
    suite = {"name": "weather", "dataset": "goldens.jsonl", "tools": "tools.json", "agent": {"model": MODEL}}
    (folder / "suite.json").write_text(json.dumps(suite))
    (folder / "keyword.json").write_text(json.dumps({**suite, "agent": {"model": "keyword:"}}))
    for made in (agent, other_agent, agent):
        rc.evaluate(
            made,
            GOLDENS,
            trials=3,
            metrics=["tool_selection", "argument_match"],
            group="nightly",
            name="weather",
            store=folder / ".rightcall" / "rightcall.db",
            progress=False,
        )
    return folder


COMMANDS = {
    "runs list": ("runs", "list"),
    "runs show": ("runs", "show", "NEW"),
    "a case": ("runs", "show", "NEW", "refund"),
    "runs trend": ("runs", "list", "--trend", "--group", "nightly"),
    "compare": ("compare", "MIDDLE", "NEW"),
    "compare three": ("compare", "OLD", "MIDDLE", "NEW"),
    "analyze": ("analyze", "NEW", "--weak"),
    "flaky": ("runs", "list", "--flaky", "NEW"),
    "gate": ("gate", "NEW", "--min", "0.5"),
    "score": ("score", "goldens.jsonl", "t.jsonl", "--metric", "tool_selection"),
    "dataset check": ("dataset", "check", "goldens.jsonl", "--tools", "tools.json"),
    "plan": ("gate", "--plan", "--min", "0.8", "--target", "0.95", "--suite", "suite.json"),
    "perturb": ("run", "keyword.json", "--perturb", "order,names", "--store", "other.db"),
    "several models": ("run", "keyword.json", "--model", "keyword:", "--model", MODEL, "--store", "other.db"),
    "metrics": ("list", "metrics"),
    "providers": ("list", "models"),
    "adapters": ("list", "frameworks"),
    "tools": ("list", "tools", "tools.json"),
    "lint": ("lint", "tools.json"),
}
VARYING = re.compile(r"\d{6}-\d{6}-[0-9a-f]+|\d+(?:\.\d+)? ?(?:ms|s)\b|\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?")
"""Ids of runs that a command starts, durations and times."""
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?: ?%)?(?![\w])")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_narrow_terminal_shows_every_number(filled, tmp_path, rightcall, monkeypatch, name):
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    with open_store(tmp_path / ".rightcall" / "rightcall.db") as store:
        new, middle, old = (run.id for run in store.runs.page(RunFilter(group="nightly")))
    words = [{"NEW": new, "MIDDLE": middle, "OLD": old}.get(word, word) for word in COMMANDS[name]]
    shown = {}
    for width in (200, 80, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        done = rightcall(*words)
        assert done.code in (0, 1, 3) and "Traceback" not in done.err, done
        shown[width] = done.out
    numbers = {width: set(NUMBER.findall(VARYING.sub("", text))) for width, text in shown.items()}
    assert numbers[200] or name in ("providers", "adapters", "tools", "lint", "metrics")
    for width in (80, 60):
        lost = numbers[200] - numbers[width]
        assert not lost, f"{lost} of\n{shown[200]}\nat {width} columns:\n{shown[width]}"
        if name.startswith(("runs", "compare")):
            ids = [run for run in (new, middle, old) if run in shown[200]]
            assert all(run in shown[width] for run in ids), shown[width]
