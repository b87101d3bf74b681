"""Workers that write to PostgreSQL themselves: a server that is away, and a worker that writes after it was given up."""

import asyncio
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from rightcall.agents.agent import Agent
from rightcall.decide.config import read_gate
from rightcall.model import ToolCall
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.wings.ray.driver import Driver
from rightcall.wings.ray.engine import WorkerOptions
from tests.support.postgres import postgres_server
from tests.support.unreliable_socket import UnreliableSocket
from tests.wings.ray.one_process import OneProcess
from tests.wings.ray.test_driver import counters, goldens, plan, stored

pytestmark = pytest.mark.stories


@pytest.fixture(scope="module")
def server():
    with postgres_server() as url:
        yield url


def ran(store, planned, engine, watch=None):
    driver = Driver(engine, WorkerOptions(3, writes=True))
    try:
        return asyncio.run(run_plan(planned, store, backend=driver, watch=watch))
    finally:
        for worker in engine.made:  # a process would take its connections with it
            if worker._store is not None:
                worker._store.close()


async def unhurried(golden):
    await asyncio.sleep(0.02)
    return [ToolCall("a", {"n": int(golden.id[1:])})]


def test_a_server_that_is_away_for_seconds_costs_nothing(server, tmp_path):
    folder = Path(parse_qs(urlsplit(server).query)["host"][0])
    way = UnreliableSocket(next(folder.glob(".s.PGSQL.*[0-9]")), tmp_path)
    cuts = iter([3.0])

    def cut_once(progress, batch):
        if progress.done >= 100:
            for seconds in cuts:
                way.cut(seconds)

    planned = Plan("test", Agent(unhurried), goldens(600), concurrency=6)
    with open_store(server.replace(str(folder), str(tmp_path))) as store:
        outcome = ran(store, planned, OneProcess(), cut_once)
        assert outcome.done == 600 == outcome.summary.overall.passed
        assert counters(store, outcome.run.id)[0] == 600 == len(stored(store, outcome.run.id))
    way.close()
    assert next(cuts, None) is None


class Zombies(OneProcess):
    """Workers that are given up at random, and still store what they have in hand."""

    def kill(self, worker):
        self.alive.discard(worker)


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_that_goes_on_after_it_was_given_up_stores_nothing_twice(server, seed):
    with open_store(server) as store:
        alone = asyncio.run(run_plan(plan(), store))
        shared = ran(store, plan(), Zombies(kills=0.3, seed=seed, most_kills=6))
        assert stored(store, shared.run.id) == stored(store, alone.run.id)
        assert counters(store, shared.run.id) == counters(store, alone.run.id)
        assert shared.summary == alone.summary


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_stored_of_a_run_that_stops_early_is_counted(server, seed):
    gate = read_gate({"min": 0.9, "target": 0.97, "stop": "evalue"})
    with open_store(server) as store:
        outcome = ran(store, plan(100, gate=gate), Zombies(kills=0.3, seed=seed, most_kills=6))
        found = store.runs.get(outcome.run.id)
        assert outcome.verdict.word == "FAIL"
        assert found.results == outcome.done == len(stored(store, outcome.run.id))
        overall = outcome.summary.overall
        assert overall.cases + overall.errors == found.results
