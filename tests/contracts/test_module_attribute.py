"""`module:attribute` means one thing through every door: installed, then next to the suite, then the working folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.core.errors import ConfigError
from rightcall.files.python_object import load_object, search_modules_in
from tests.cli.conftest import asked, did, rightcall, write_lines

__all__ = ["rightcall"]

MODULE = """
from rightcall import Golden, Metric, Score, ToolCall, tool

def agent(golden):
    return [ToolCall("get_weather", {"city": "Hanoi"})]

@tool
def get_weather(city: str) -> str:
    "The weather of a city today."
    return "sunny"

def always(case):
    return True

def answer(city=""):
    return "rainy"
"""


def suite(**parts: object) -> dict[str, object]:
    agent = {"model": parts.pop("model", "keyword:")} | dict(parts.pop("agent", {}))  # type: ignore[call-overload]
    tools = [{"name": "get_weather", "input_schema": {"type": "object", "properties": {}}}]
    return {"dataset": "goldens.jsonl", "tools": tools, "agent": agent, **parts}


SUITES = {
    "agent": lambda m: suite(model=f"{m}:agent"),
    "tools": lambda m: suite(tools=f"{m}:get_weather"),
    "metric": lambda m: suite(metrics=[f"{m}:always"]),
    "observed metric": lambda m: suite(metrics=[{"measure": f"{m}:always"}]),
    "mock": lambda m: suite(
        mocks={"get_weather": {"function": f"{m}:answer"}}, agent={"mode": "loop", "execute": "mock"}
    ),
}
TYPED = {
    "run --model": lambda m: ["run", "suites/plain.json", "--model", f"{m}:agent"],
    "score --metric": lambda m: ["score", "goldens.jsonl", "did.jsonl", "--metric", f"{m}:always"],
    "score --measure": lambda m: ["score", "goldens.jsonl", "did.jsonl", "--measure", f"{m}:always"],
    "tools list": lambda m: ["list", "tools", f"{m}:get_weather"],
    "tools show": lambda m: ["list", "tools", f"{m}:get_weather", "get_weather"],
    "lint": lambda m: ["lint", f"{m}:get_weather", "--select", "TD001"],
    "generate --tools": lambda m: [
        "generate",
        "goldens",
        "--tools",
        f"{m}:get_weather",
        "--model",
        "keyword:",
    ],
}


@pytest.fixture
def module(request, tmp_path) -> str:
    """A module name that no other test has used in this process."""
    count = len([name for name in sys.modules if name.startswith("door_")])
    return f"door_{count}_{abs(hash(request.node.name)) % 10**8}"


def files(folder: Path) -> None:
    (folder / "suites").mkdir()
    for place in (folder, folder / "suites"):
        write_lines(place / "goldens.jsonl", asked("a"))
    write_lines(folder / "did.jsonl", did("a", "Hanoi"))
    (folder / "suites/plain.json").write_text(json.dumps(suite()))


@pytest.mark.parametrize("place", [".", "suites"], ids=["working folder", "next to the suite"])
@pytest.mark.parametrize("door", SUITES)
def test_a_suite_finds_modules(rightcall, tmp_path, module, door, place):
    files(tmp_path)
    (tmp_path / place / f"{module}.py").write_text(MODULE)
    (tmp_path / "suites/suite.json").write_text(json.dumps(SUITES[door](module)))
    done = rightcall("run", "suites/suite.json", "--json")
    assert done.code in (0, 1), done.err
    assert done.rows[-1]["verdict"] in ("PASS", "FAIL")


@pytest.mark.parametrize("door", TYPED)
def test_a_command_finds_modules_in_the_working_folder(rightcall, tmp_path, module, door):
    files(tmp_path)
    (tmp_path / f"{module}.py").write_text(MODULE)
    done = rightcall(*TYPED[door](module))
    loaded = "get_weather: the model wrote no example" in done.err
    assert done.code in (0, 1) or loaded, done.err


@pytest.mark.parametrize("problem", ["missing module", "missing attribute", "raises", "exits"])
@pytest.mark.parametrize("door", [*SUITES, *TYPED])
def test_a_name_that_cannot_be_loaded_is_one_line_and_exit_code_2(rightcall, tmp_path, module, door, problem):
    files(tmp_path)
    text = {"missing attribute": "", "raises": "1/0", "exits": "raise SystemExit(0)"}
    if problem in text:
        (tmp_path / f"{module}.py").write_text(text[problem])
    named = module if problem in text else f"{module}.deeper"
    if door in SUITES:
        (tmp_path / "suites/suite.json").write_text(json.dumps(SUITES[door](named)))
    done = rightcall(*(["run", "suites/suite.json"] if door in SUITES else TYPED[door](named)))
    assert done.code == 2 and "cannot be loaded" in done.err and "Traceback" not in done.err


def test_each_suite_has_its_own_module_of_one_name(tmp_path):
    for which in ("one", "two"):
        (tmp_path / which).mkdir()
        (tmp_path / which / "same_named_agent.py").write_text(f"import same_named_helper\nWHICH = '{which}'")
        (tmp_path / which / "same_named_helper.py").write_text("")
    found = []
    for which in ("one", "two", "one"):
        search_modules_in(tmp_path / which)
        found.append(load_object("same_named_agent:WHICH"))
    assert found == ["one", "two", "one"]


def test_a_module_of_the_user_does_not_replace_an_installed_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colorsys.py").write_text("HERE = True")
    with pytest.raises(ConfigError, match="no 'HERE' in colorsys"):
        load_object("colorsys:HERE")


@pytest.mark.parametrize("start", [["rightcall"], [sys.executable, "-m", "rightcall"]], ids=["script", "-m"])
def test_it_does_not_matter_how_rightcall_is_started(tmp_path, start):
    files(tmp_path)
    (tmp_path / "suites/beside_agent.py").write_text(MODULE)
    (tmp_path / "suites/suite.json").write_text(json.dumps(SUITES["agent"]("beside_agent")))
    command = [str(Path(sys.executable).with_name(start[0]))] if start[0] == "rightcall" else start
    words = [*command, "run", "suites/suite.json", "--json"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_module_of_an_earlier_suite_gives_way_to_one_that_python_finds_first(tmp_path, monkeypatch):
    for folder in ("earlier", "later"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "namesake_agent.py").write_text(f"WHERE = {folder!r}\n", "utf-8")
    search_modules_in(tmp_path / "earlier")
    assert load_object("namesake_agent:WHERE") == "earlier"
    monkeypatch.syspath_prepend(str(tmp_path / "later"))
    assert load_object("namesake_agent:WHERE") == "later"
