"""Rows of the table of dying tools, on Ray: no pass for a case whose tool was not reached, and no effect twice."""

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions
from rightcall.limbs.ray.place import RayEngine
from rightcall.limbs.ray.ray import RayOptions
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.tools.definitions.function import tool
from tests.support.dying_tools import GOLDENS, Row, broken_laws, http_agent, paying, scripted
from tests.support.postgres import postgres_server

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
ROOT = str(Path(__file__).parents[3])


@pytest.fixture(scope="module")
def engine():
    opened = RayEngine(RayOptions(workers=2))
    asyncio.run(opened.open())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def postgres():
    """Tools that run for real need it: keys of calls are seen by all workers."""
    with postgres_server() as url:
        yield url


def row_on_ray(engine, url: str, folder: Path, death: str, agent) -> Row:
    driver = Driver(engine, WorkerOptions(2, paths=(ROOT,)), lambda line: None)
    with open_store(url) as store:
        ended = asyncio.run(run_plan(Plan("dying", agent, GOLDENS, concurrency=1), store, backend=driver))
        results = list(store.runs.results(ended.run.id))
    states = {r.golden_id: "error" if r.error else "pass" if r.passed else "fail" for r in results}
    effects = Counter((folder / "world").read_text().split())
    assert len(results) == 2 and effects["works"] == 1
    verdict = ended.verdict
    return Row(
        "ray", death, states["dies"], effects["dies"], states["works"], verdict.exit_code, verdict.sentence
    )


def pay_once_and_die(world: Path):
    """A tool whose process is killed after its effect."""

    async def pay(to: str) -> str:
        """Pay someone."""
        with world.open("a", encoding="utf-8") as lines:
            lines.write(f"{to}\n")
        if to == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        return "paid"

    return tool(destructive=True)(pay)


def test_a_tool_that_dies_after_its_effect(engine, postgres, tmp_path):
    agent = scripted(tools=[tool(destructive=True)(paying("after the effect", tmp_path / "world"))])
    seen = row_on_ray(engine, postgres, tmp_path, "after the effect", agent)
    assert not broken_laws(seen), seen
    assert (seen.state, seen.effects, seen.exit_code) == ("error", 1, 4), seen
    assert "1 call: outcome unknown" in seen.sentence


def test_a_service_that_drops_the_connection_after_its_effect(engine, postgres, tmp_path):
    with http_agent("after the effect", tmp_path, tmp_path / "world") as agent:
        seen = row_on_ray(engine, postgres, tmp_path, "after the effect", agent)
    assert not broken_laws(seen), seen
    assert (seen.state, seen.effects, seen.exit_code) == ("error", 1, 4), seen


def test_a_worker_that_is_killed_in_a_call(engine, postgres, tmp_path):
    seen = row_on_ray(
        engine, postgres, tmp_path, "worker killed", scripted(tools=[pay_once_and_die(tmp_path / "world")])
    )
    assert not broken_laws(seen), seen
    assert (seen.state, seen.effects, seen.exit_code) == ("error", 1, 4), seen
