"""One framework whose agent is used again and again in one process: every use must end as the first.

python -m benchmarks.adapters.repeats NAME OUT [DOOR …]

Model clients keep connections that belong to an event loop, so an agent that works once may fail the second time.
The same agent object runs four goldens in each of three evaluations, then in three cells of a notebook (a loop is
running), then in twenty tests of one pytest session.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.limbs.adapters.script import Answer

import rightcall as rc
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.rows import rows_file
from benchmarks.adapters.scenarios import SCENARIOS, TRAVEL, weather
from benchmarks.adapters.scripted_server import Exchange, ModelHolder, ScriptedModel, scripted_server
from benchmarks.adapters.trials import framework_named, package_version, spoken_by
from rightcall.core.event_loop import run_blocking
from rightcall.records import ExpectedCall, Golden

GOLDENS = [
    Golden(
        f"Weather in City{number}?",
        id=f"city-{number}",
        expected_calls=(ExpectedCall("get_weather", {"city": f"City{number}"}),),
        expected_output=f"31 in City{number}.",
    )
    for number in range(4)
]
EXPECTED = [(g.id, "done", "", ["get_weather"], g.expected_output, True) for g in GOLDENS]
METRICS = ["tool_selection", "argument_match"]
TIMES = 3
TESTS = 20


class ReadingModel(ScriptedModel):
    """Answers by what the request says, so that goldens can run at once: the weather of the city, then its result."""

    def answer(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        text = str(body)
        city = re.findall(r"Weather in (City\d)", text)[-1]
        known = f"31 in {city}"
        answer = Answer(f"{known}.") if known in text else Answer(calls=(weather(city),))
        self.log.append(Exchange(TRAVEL, path, headers, body, answer))
        return self.spoken(answer, body)


@contextmanager
def agent_of(framework: Framework) -> Iterator[Any]:
    """An observed agent, and the server of its model."""
    scenario = SCENARIOS[0]
    holder = ModelHolder()
    holder.model = ReadingModel(scenario, spoken_by(framework))
    with scripted_server(holder) as address:
        agent = framework.stateless_agent(Setup(address, "plain", scenario))
        try:
            yield framework.observed(agent)
        finally:
            run_blocking(framework.close())


def evaluation(agent: Any, store: Path) -> list[Any]:
    """What an evaluation found, golden by golden."""
    run = rc.evaluate(agent, GOLDENS, metrics=METRICS, store=str(store), concurrency=4)
    found = []
    for result in run.results:
        trajectory = result.trajectory
        names = [call.name for call in trajectory.calls]
        found.append(
            (
                result.golden_id,
                trajectory.stop_reason,
                trajectory.error,
                names,
                trajectory.output,
                result.passed,
            )
        )
    return sorted(found)


def evaluations(agent: Any, folder: Path) -> list[bool]:
    return [matches(evaluation(agent, folder / "evaluations.db")) for _ in range(TIMES)]


def cells(agent: Any, folder: Path) -> list[bool]:
    async def notebook() -> list[bool]:
        return [matches(evaluation(agent, folder / "cells.db")) for _ in range(TIMES)]

    return asyncio.run(notebook())


def matches(found: list[Any]) -> bool:
    if found != EXPECTED:
        print(f"  found {found}", file=sys.stderr)
    return found == EXPECTED


class Plugin:
    """Gives the tests the agent of this process, and counts those that pass."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.outcomes = list[bool]()

    @pytest.fixture
    def observed_agent(self) -> Any:
        return self._agent

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.outcomes.append(report.passed)


TEST_FILE = f"""
import pytest
import rightcall as rc
from benchmarks.adapters.repeats import GOLDENS, METRICS

@pytest.mark.parametrize("number", range({TESTS}))
def test_weather(number, observed_agent):
    golden = GOLDENS[number % len(GOLDENS)]
    rc.assert_test(golden=golden, agent=observed_agent, metrics=METRICS)
"""


def tests(agent: Any, folder: Path) -> list[bool]:
    file = folder / "test_weather.py"
    plugin = Plugin(agent)
    file.write_text(TEST_FILE, "utf-8")
    options = ["-q", "-o", "addopts=", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    pytest.main([*options, str(file)], plugins=[plugin])
    return [*plugin.outcomes, *[False] * (TESTS - len(plugin.outcomes))]


DOORS: dict[str, Callable[[Any, Path], list[bool]]] = {
    "evaluations": evaluations,
    "cells": cells,
    "tests": tests,
}


def main() -> None:
    name, out, *only = sys.argv[1:]
    framework = framework_named(name)
    with (
        rows_file(out) as add,
        tempfile.TemporaryDirectory() as folder,
        agent_of(framework) as agent,
    ):
        for door in only or DOORS:
            print(f"  {name} {door}", file=sys.stderr, flush=True)
            equal = DOORS[door](agent, Path(folder))
            add({"version": package_version(framework), "door": door, "equal": sum(equal), "of": len(equal)})


if __name__ == "__main__":
    main()
