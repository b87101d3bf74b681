"""Our plugin with others that run tests again, elsewhere, in another order or in an event loop.

Every golden counts once, the run is finished, and what is shown is what is stored.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rightcall.store.address import open_store

pytestmark = pytest.mark.stories

pytest_plugins = ["pytester"]

AGENT = """
import asyncio, os, pathlib
import pytest
from rightcall import ToolCall
from rightcall.core.errors import InfrastructureError

def asked(golden):
    folder = pathlib.Path(os.environ["ASKED"]) / golden.id
    folder.mkdir(exist_ok=True)
    (folder / os.urandom(8).hex()).touch()
    return len(list(folder.iterdir()))

def agent(golden):
    if asked(golden) == 1 and golden.id.startswith("late"):
        raise InfrastructureError("the provider is down")
    return [ToolCall("weather", {"city": "nowhere" if golden.id.startswith("wrong") else golden.id})]
"""
PLAIN = """
@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(agent, golden)
"""
FRESH_AGENT = """
@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(lambda golden: agent(golden), golden)
"""
ASYNC = """
@pytest.mark.asyncio
@pytest.mark.goldens("goldens.jsonl")
async def test_weather(golden, check):
    await asyncio.sleep(0)
    check(agent, golden)
"""
ANYIO = """
@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.mark.anyio
@pytest.mark.goldens("goldens.jsonl")
async def test_weather(golden, check):
    await asyncio.sleep(0)
    check(agent, golden)
"""
CITIES = ("hue", "late", "wrong", "dalat")

RERUNS = ("-p", "pytest_rerunfailures")
RANDOMLY = ("-p", "pytest_randomly")
ASYNCIO = ("-p", "pytest_asyncio.plugin")
PLUGIN = ("-p", "rightcall_pytest", "-p", "no:cacheprovider")
INSTALLED = ("-p", "no:langsmith_plugin", "-p", "no:hypothesispytest", "-p", "no:cacheprovider")
LOOPS = ("-o", "asyncio_default_fixture_loop_scope=function")
AGAIN = (*RERUNS, "--reruns", "2")
ONCE = {"passed": 2, "failed": 1, "errors": 1}
TWICE = {"passed": 3, "failed": 1, "rerun": 3}
TABLE = {
    # name: test, options, outcomes, times that "late" and "wrong" are asked
    "rerunfailures": (PLAIN, AGAIN, TWICE, (2, 1)),
    "rerunfailures, another agent each time": (FRESH_AGENT, AGAIN, TWICE, (2, 1)),
    "asyncio": (ASYNC, (*ASYNCIO, *LOOPS), ONCE, (1, 1)),
    "anyio": (ANYIO, ("-p", "anyio.pytest_plugin"), ONCE, (1, 1)),
    "all of them": (ASYNC, (*INSTALLED, *LOOPS, "--reruns", "2", "-n", "2"), TWICE, (2, 1)),
}


@pytest.fixture
def project(pytester, monkeypatch):
    def made(test: str):
        (pytester.path / "asked").mkdir()
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        monkeypatch.setenv("ASKED", str(pytester.path / "asked"))
        lines = [
            {"id": city, "input": f"{city}?", "expected_calls": [{"tool": "weather", "args": {"city": city}}]}
            for city in CITIES
        ]
        (pytester.path / "goldens.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        pytester.makepyfile(AGENT + test)
        return pytester

    return made


def times_asked(folder: Path, city: str) -> int:
    return len(list((folder / "asked" / city).iterdir()))


@pytest.mark.parametrize("row", TABLE)
def test_every_golden_counts_once_and_the_run_is_finished(project, monkeypatch, row):
    test, options, outcomes, (late, wrong) = TABLE[row]
    made = project(test)
    if row == "all of them":  # as they are installed: they look for each other by their names
        monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    else:
        options = (*PLUGIN, *options)
    run = made.runpytest_subprocess if row == "all of them" else made.runpytest_inprocess
    found = run(*options)
    counts = found.parseoutcomes()
    assert {name: counts.get(name, 0) for name in outcomes} == outcomes
    assert [times_asked(made.path, city) for city in ("late", "wrong")] == [late, wrong]
    answered = late > 1
    shown = "3 of 4 goldens passed" if answered else "2 of 3 goldens passed"
    found.stdout.fnmatch_lines([f"  {shown}*"])
    with open_store(made.path / ".rightcall" / "rightcall.db", must_exist=True) as store:
        (run,) = store.runs.page()
        assert (run.results, run.passed, run.errors, run.finished) == (
            4,
            3 if answered else 2,
            not answered,
            True,
        )
        assert run.verdict == ("FAIL" if answered else "ERROR")


def test_sessions_with_the_same_random_seed_are_different_runs(project):
    made = project(PLAIN)
    for _ in range(2):
        made.runpytest_inprocess(*PLUGIN, *RANDOMLY, "--randomly-seed=7", "-k", "hue")
    with open_store(made.path / ".rightcall" / "rightcall.db", must_exist=True) as store:
        assert [run.results for run in store.runs.page()] == [1, 1]
