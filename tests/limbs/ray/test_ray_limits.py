"""Limits on a real Ray cluster: rate, budget, memory while a store stalls, and a shard whose process is killed."""

import asyncio
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightcall.agents.agent import Agent
from rightcall.agents.limits import Limits, RunLimits
from rightcall.cli.runs import runs
from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions
from rightcall.limbs.ray.place import RayEngine
from rightcall.limbs.ray.ray import RayOptions
from rightcall.metrics.score_case import Scorer
from rightcall.run.plan import Plan
from rightcall.run.rescorer import rescore_run
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.store.address import open_store
from rightcall.store.sql.run_writer import RunWriter
from tests.limbs.ray import agents
from tests.limbs.ray.ray_process import workers_of
from tests.limbs.ray.stored_runs import goldens, stored
from tests.support.model_process import counts, loopback_model, write_suite

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
ROOT = str(Path(__file__).parents[3])


@pytest.fixture(scope="module")
def engine():
    before = os.environ.setdefault("OPENAI_API_KEY", "loopback")
    made = RayEngine(RayOptions(workers=3))
    asyncio.run(made.open())
    yield made
    made.close()
    if before == "loopback":
        del os.environ["OPENAI_API_KEY"]


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "results.db") as opened:
        yield opened


def ran(store, plan, engine, workers, watch=None):
    driver = Driver(engine, WorkerOptions(workers, paths=(ROOT,)))
    return asyncio.run(run_plan(plan, store, backend=driver, watch=watch))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_rate_is_kept_whatever_the_number_of_workers(store, engine, tmp_path, workers):
    with loopback_model() as port:
        entry = {"model": "openai:loopback", "base_url": f"http://127.0.0.1:{port}/v1",
                 "rate": {"requests_per_minute": 1800}}  # fmt: skip
        path = write_suite(tmp_path, 200, port, models={"slow": entry}, agent={"model": "slow"})
        plan = plan_suite(load_suite(path), tmp_path)
        ran(store, plan, engine, workers)
        found = counts(port)
    asked = sum(found["asked"].values())
    span = found["span"]["last"] - found["span"]["first"]
    assert asked == 200 and asked <= 1.05 * 30 * span
    assert asked >= 30 * 0.75 * span  # and all of the rate is used, if the machine has time for it


def test_under_too_many_requests_the_sum_of_throttles_falls_and_recovers(store, engine, tmp_path):
    seen = []
    with loopback_model(rate_limited=0.2) as port:
        plan = plan_suite(load_suite(write_suite(tmp_path, 300, port, concurrency=16)), tmp_path)
        outcome = ran(store, plan, engine, 2, lambda progress, batch: seen.append(progress.at_once))
        asked = counts(port)["asked"]
    lowest = seen.index(min(seen))
    assert min(seen) < 16 and max(seen[lowest:]) > min(seen)
    assert max(seen) <= 16 and sum(asked.values()) > 300
    assert outcome.done == 300 and not outcome.summary.overall.errors


@pytest.mark.parametrize("workers", [1, 3])
def test_with_limits_of_a_case_the_budget_of_a_run_is_never_exceeded(store, engine, tmp_path, workers):
    agent = Agent(agents.priced, limits=Limits(tokens=100))
    plan = Plan("test", agent, goldens(100, tmp_path), concurrency=16, run_limits=RunLimits(tokens=2_050))
    outcome = ran(store, plan, engine, workers)
    assert outcome.done == 20 and outcome.verdict.word == "INCONCLUSIVE"


def test_while_a_store_stalls_memory_stays_as_it_is(store, engine, tmp_path, monkeypatch):
    add = RunWriter.add
    sizes = []
    stalls = iter([False] * 4 + [True])

    def stalling(self, results):
        if next(stalls, False):
            before = memory()
            time.sleep(5.0)
            sizes.append((before, memory()))
        return add(self, results)

    monkeypatch.setattr(RunWriter, "add", stalling)
    plan = Plan("test", Agent(agents.talkative), goldens(4000, tmp_path, bytes=20_000), concurrency=32)
    outcome = ran(store, plan, engine, 2)
    (before, after), *_ = sizes
    assert outcome.done == 4000 == store.runs.get(outcome.run.id).results
    assert all(after[pid] - size < 64 * 2**20 for pid, size in before.items()), (before, after)


def memory():
    """What this process and its workers hold, by process; 4,000 results are 80 MB."""
    pids = [os.getpid(), *workers_of(os.getpid())]
    page = os.sysconf("SC_PAGE_SIZE")
    return {
        pid: int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * page for pid in pids
    }


def test_rescoring_on_ray_says_what_it_does_and_makes_what_one_process_makes(engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open_store(tmp_path / "results.db") as store:
        asyncio.run(run_plan(Plan("test", Agent(agents.counted), goldens(30, tmp_path)), store))
        first = store.runs.get("last").id
    command = ["rescore", first, "--store", "results.db", "--json"]
    alone, shared = (CliRunner().invoke(runs, [*command, *more]) for more in ([], ["--on", "ray"]))
    assert "starting Ray on this machine" in shared.stderr and "1 of 1 shards" in shared.stderr
    made = [json.loads(result.stdout.splitlines()[-1]) for result in (alone, shared)]
    assert made[0]["summary"] == made[1]["summary"] and alone.exit_code == shared.exit_code


def test_a_shard_whose_process_is_killed_is_scored_again(store, engine, tmp_path, monkeypatch):
    monkeypatch.setattr("rightcall.run.rescorer.SHARD", 7)
    asyncio.run(run_plan(Plan("test", Agent(agents.counted), goldens(30, tmp_path)), store))
    first = store.runs.get("last").id
    alone, summary, verdict = asyncio.run(rescore_run(store, first, Scorer()))

    def killed_once(task, shards):
        return engine.map(agents.KilledOnce(task, tmp_path), shards)

    engine._options = replace(engine._options, folder=Path(ROOT))
    shared, *same = asyncio.run(rescore_run(store, first, Scorer(), spread=killed_once))
    assert same == [summary, verdict] and stored(store, shared) == stored(store, alone)
    assert (tmp_path / "begun").exists()
