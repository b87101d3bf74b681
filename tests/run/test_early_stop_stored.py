"""Only stored results stop a run early: in this process and on workers."""

import asyncio

import msgspec
import pytest

from rightcall.agents.agent import Agent
from rightcall.core.errors import StoreError
from rightcall.decide.config import read_gate
from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions
from rightcall.records import ExpectedCall, Golden, ToolCall
from rightcall.run.backend import InProcess
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import Persistence, open_store
from rightcall.store.sql.run_writer import RunWriter
from tests.limbs.ray.one_process import OneProcess

EARLY = read_gate({"min": 0.8, "target": 0.95, "stop": "evalue"})


async def wrong(golden):
    return [ToolCall("b", {})]


async def right(golden):
    return [ToolCall("a", {})]


def plan(agent, gate=EARLY):
    goldens = [Golden(f"Do {i}", id=f"g{i:03}", expected_calls=(ExpectedCall("a", {}),)) for i in range(100)]
    return Plan("test", Agent(agent), goldens, concurrency=4, gate=gate)


def on_workers():
    return Driver(OneProcess(), WorkerOptions(2))


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "results.db") as opened:
        yield opened


@pytest.fixture(params=[lambda: None, on_workers], ids=["here", "workers"])
def backend(request):
    return request.param()


def test_a_result_that_cannot_be_stored_stops_no_run(store, backend, monkeypatch):
    stops = []
    for kind in (InProcess, Driver):
        monkeypatch.setattr(kind, "stop", lambda self, why: stops.append(why))

    def broken(self, results):
        raise StoreError("disk full")

    monkeypatch.setattr(RunWriter, "add", broken)
    with pytest.raises(StoreError):
        asyncio.run(run_plan(plan(wrong), store, backend=backend, persist=Persistence(0.0)))
    assert "decided" not in stops


def test_a_run_is_decided_by_what_is_stored_not_by_what_is_in_hand(store, backend):
    known = asyncio.run(run_plan(plan(right, gate=None), store)).run.id

    def stored_already(run):
        results = [
            msgspec.structs.replace(result, trajectory=None)
            for result in store.runs.results(known, trajectories=False)
        ]
        store.runs.join(run.id).add(results)

    outcome = asyncio.run(run_plan(plan(wrong), store, backend=backend, started=stored_already))
    assert outcome.verdict.word == "PASS"
    assert outcome.summary.overall.passed == outcome.done


def test_a_decision_is_stored_at_once_and_not_with_the_next_full_batch(store, backend):
    outcome = asyncio.run(run_plan(plan(wrong), store, backend=backend))
    assert outcome.verdict.word == "FAIL"
    assert outcome.done < 60
