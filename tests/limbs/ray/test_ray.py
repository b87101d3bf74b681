"""Runs on a real Ray cluster of this machine: one for the module, workers killed, paused and deadly."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError, RunTakenOver
from rightcall.decide.config import read_gate
from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions
from rightcall.limbs.ray.place import RayEngine
from rightcall.limbs.ray.ray import RayOptions
from rightcall.run.attacks import attack_numbers
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.store.sql.results import export_lines
from tests.limbs.attacks import agents as attacked
from tests.limbs.ray import agents
from tests.limbs.ray.stored_runs import asked, counters, goldens, harming, plan_of, stored
from tests.support.postgres import postgres_server

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
ROOT = str(Path(__file__).parents[3])


@pytest.fixture(scope="module")
def engine():
    made = RayEngine(RayOptions(workers=4))
    asyncio.run(made.open())
    yield made
    made.close()


@pytest.fixture(scope="module")
def postgres():
    with postgres_server() as url:
        yield url


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "results.db") as opened:
        yield opened


def ran(store, plan, engine=None, workers=2, told=None, **options):
    tell = told.append if told is not None else lambda line: None
    driver = engine and Driver(engine, WorkerOptions(workers, paths=(ROOT,), **options), tell)
    return asyncio.run(run_plan(plan, store, backend=driver))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_store_what_one_process_does(store, engine, tmp_path, workers):
    plan = plan_of(goldens(40, tmp_path), trials=2)
    alone = ran(store, plan)
    shared = ran(store, plan, engine, workers)
    assert stored(store, shared.run.id) == stored(store, alone.run.id)
    assert counters(store, shared.run.id) == counters(store, alone.run.id)
    assert (shared.summary, shared.verdict) == (alone.summary, alone.verdict)


def test_workers_call_an_agent_by_its_signature(store, engine, tmp_path):
    shared = ran(store, plan_of(goldens(2, tmp_path), agents.of_text), engine)
    results = store.runs.results(shared.run.id, trajectories=True)
    assert {result.trajectory.output for result in results} == {"Do 0 [] 32", "Do 1 [] 32"}


def test_attacks_on_workers_are_those_of_one_process(store, engine):
    tasks = attacked.GOLDENS[:3]
    everything = [*tasks, *rc.attacks(attacked.WORLDS, tasks, {"attempts": 12})]
    plan = Plan("attacks", attacked.agent(attacked.naive, everything), everything)
    alone = ran(store, plan)
    shared = ran(store, plan, engine)
    lines = [
        list(export_lines(store.runs.results(run.run.id, trajectories=True), timings=False))
        for run in (alone, shared)
    ]
    assert [line.replace(shared.run.id.encode(), alone.run.id.encode()) for line in lines[1]] == lines[0]
    assert attack_numbers(store, shared.run.id) == attack_numbers(store, alone.run.id)


@pytest.mark.parametrize("checked", [0, 6])
def test_goldens_that_state_no_check_decide_nothing_on_workers(store, engine, tmp_path, checked):
    prompts = [msgspec.structs.replace(g, expected_calls=()) for g in goldens(12, tmp_path)[checked:]]
    plan = plan_of([*goldens(checked, tmp_path), *prompts], gate=read_gate({"min": 0.1}))
    alone = ran(store, plan)
    shared = ran(store, plan, engine)
    assert (shared.summary, shared.verdict) == (alone.summary, alone.verdict)
    found = store.runs.get(shared.run.id)
    assert (found.unchecked, found.judged) == (12 - checked, checked)
    assert shared.verdict.word == ("PASS" if checked else "INCONCLUSIVE")
    assert checked or "nothing was checked" in str(shared.verdict)


def test_on_postgresql_a_run_is_that_of_one_process(postgres, engine, tmp_path):
    with open_store(postgres) as store:
        plan = plan_of(harming(goldens(60, tmp_path), {17: "once"}), agents.harmful)
        shared = ran(store, plan, engine)
        alone = ran(store, plan)
        assert stored(store, shared.run.id) == stored(store, alone.run.id)
        assert counters(store, shared.run.id) == counters(store, alone.run.id)
        assert shared.summary == alone.summary


def test_killed_workers_cost_only_what_was_under_way(store, engine, tmp_path):
    told = []
    plan = plan_of(harming(goldens(120, tmp_path, seconds=0.01), {20: "once", 70: "once"}), agents.harmful)
    shared = ran(store, plan, engine, told=told)
    again = sum(n - 1 for n in asked(tmp_path).values())
    assert stored(store, shared.run.id) == stored(store, ran(store, plan).run.id)
    assert len(told) == 2 and all("its process ended" in line for line in told)
    assert again <= 2 * (6 + 2 * 100)  # what was under way, and results that had not left yet


def test_a_deadly_case_is_stored_as_such_and_the_others_are_done(store, engine, tmp_path):
    plan = plan_of(harming(goldens(40, tmp_path), {7: "always"}), agents.harmful)
    found = stored(store, ran(store, plan, engine).run.id)
    assert len(found) == 40
    assert "while this case ran" in found["g007", 0].trajectory.error and not found["g007", 0].passed
    assert found["g009", 0].passed


@pytest.mark.parametrize("where", ["sqlite", "postgres"])
def test_a_paused_worker_is_replaced_and_its_later_results_change_nothing(engine, tmp_path, postgres, where):
    told = []

    def lost(line):
        told.append(line)
        if "silent for" in line:
            with suppress(
                ProcessLookupError
            ):  # it wakes and reports late, unless the cluster had ended it already
                os.kill(int((tmp_path / "pid").read_text()), signal.SIGCONT)

    plan = plan_of(harming(goldens(40, tmp_path), {11: "pause"}), agents.harmful)
    options = WorkerOptions(2, paths=(ROOT,), silence_seconds=8.0)
    with open_store(postgres if where == "postgres" else tmp_path / "results.db") as store:
        shared = asyncio.run(run_plan(plan, store, backend=Driver(engine, options, lost)))
        assert any("silent for 8 s" in line for line in told)
        assert stored(store, shared.run.id) == stored(store, ran(store, plan).run.id)
        assert counters(store, shared.run.id)[0] == 40


def test_an_early_stop_gives_the_verdict_of_one_process(store, engine, tmp_path):
    plan = plan_of(goldens(200, tmp_path), gate=read_gate({"min": 0.9, "target": 0.97, "stop": "evalue"}))
    alone = ran(store, plan)
    shared = ran(store, plan, engine)
    assert shared.verdict.word == alone.verdict.word == "FAIL"
    assert shared.verdict.saved == alone.verdict.saved > 0 and shared.done < 200


def test_a_worker_that_cannot_start_ends_the_run_before_anything_is_asked(store, engine, tmp_path):
    plan = plan_of(goldens(10, tmp_path), Unpicklable())
    with pytest.raises(ConfigError, match=r"(?s)cannot start: ValueError.*Traceback"):
        ran(store, plan, engine)
    assert store.runs.get("last").results == 0 and not asked(tmp_path)


class Unpicklable:
    __name__ = "unpicklable"

    def __reduce__(self):
        return int, ("no number",)

    def __call__(self, golden):
        raise AssertionError


def test_an_open_client_cannot_be_sent_and_the_error_says_what_to_do(store, engine, tmp_path):
    import threading

    lock = threading.Lock()

    def agent(golden):
        with lock:
            return []

    with pytest.raises(ConfigError, match="name a function that creates it, module:function"):
        ran(store, plan_of(goldens(4, tmp_path), agent), engine)


def test_evaluate_with_workers_gives_the_same_results_as_without(engine, tmp_path):
    given = goldens(20, tmp_path)
    alone = rc.evaluate(agents.counted, given, store=tmp_path / "one.db")
    shared = rc.evaluate(agents.counted, given, workers=2, store=tmp_path / "two.db")
    assert shared.summary == alone.summary
    assert stored(shared.store, shared.id) == stored(alone.store, alone.id)


def test_of_two_drivers_on_one_run_the_older_gets_an_error(store, engine, tmp_path):
    plan = plan_of(goldens(60, tmp_path, seconds=0.05))

    async def both():
        begun = asyncio.Event()
        first = asyncio.create_task(
            run_plan(
                plan,
                store,
                watch=lambda *_: begun.set(),
                backend=Driver(engine, WorkerOptions(1, paths=(ROOT,))),
            )
        )
        await begun.wait()
        second = run_plan(plan, store, resume="last", backend=Driver(engine, WorkerOptions(1, paths=(ROOT,))))
        return await asyncio.gather(first, second, return_exceptions=True)

    first, second = asyncio.run(both())
    assert isinstance(first, RunTakenOver)
    assert second.done == 60 == store.runs.get("last").results and len(stored(store, "last")) == 60
