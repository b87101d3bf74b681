"""Runs on workers of this process: the same results as without, each stored once, whichever worker is killed."""

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import Phase, given, settings, strategies as st

from rightcall.agents.agent import Agent
from rightcall.agents.limits import Limits, RunLimits
from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.decide.config import read_gate
from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions, unpack_in_place
from rightcall.records import ExpectedCall, Golden, ToolCall, Trajectory, Usage
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from tests.limbs.ray.one_process import OneProcess, dumps
from tests.support.examples import examples
from tests.support.model_process import counts, loopback_model, write_suite


def goldens(n):
    return [Golden(f"Do {i}", id=f"g{i:03}", expected_calls=(ExpectedCall("a", {"n": i}),)) for i in range(n)]


async def right_mostly(golden):
    number = int(golden.id[1:])
    await asyncio.sleep(number % 3 / 1000)
    if number % 11 == 5:
        raise ValueError("no idea")
    return [ToolCall("a", {"n": number if number % 4 else -1})]


def plan(n=60, agent=right_mostly, **options):
    return Plan("test", Agent(agent), goldens(n), concurrency=6, **options)


def ran(store, planned, engine=None, *, workers=3, told=None, **options):
    driver = engine and Driver(
        engine, WorkerOptions(workers, **options), told.append if told is not None else lambda line: None
    )
    return asyncio.run(run_plan(planned, store, backend=driver))


def stored(store, run):
    """Everything that is stored of a run but times, by golden and trial."""
    found = {}
    for result in store.runs.results(run, trajectories=True):
        key = result.golden_id, result.trial
        assert key not in found
        trajectory = result.trajectory and msgspec.structs.replace(
            result.trajectory, latency_ms=None, lag_ms=0.0
        )
        found[key] = msgspec.structs.replace(result, latency_ms=None, trajectory=trajectory)
    return found


def counters(store, run):
    found = store.runs.get(run)
    return found.results, found.passed, found.errors, found.usage, found.finished


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "results.db") as opened:
        yield opened


@pytest.mark.parametrize(
    "workers", [1, 2, *(pytest.param(many, marks=pytest.mark.stories) for many in (3, 7))]
)
def test_any_number_of_workers_stores_what_one_process_does(store, workers):
    alone = ran(store, plan(trials=2))
    shared = ran(store, plan(trials=2), OneProcess(), workers=workers)
    assert stored(store, shared.run.id) == stored(store, alone.run.id)
    assert counters(store, shared.run.id) == counters(store, alone.run.id)
    assert (shared.summary, shared.verdict) == (alone.summary, alone.verdict)


@pytest.mark.stories
@settings(max_examples=examples(20, few=3), phases=[Phase.generate])
@given(seed=st.integers(0, 10**6), workers=st.integers(1, 4), kills=st.sampled_from([0.05, 0.2, 0.5]))
def test_workers_killed_at_any_moment_cost_no_result_and_double_none(tmp_path_factory, seed, workers, kills):
    with open_store(tmp_path_factory.mktemp("killed") / "results.db") as opened:
        alone = ran(opened, plan())
        engine = OneProcess(kills=kills, seed=seed, most_kills=8)
        shared = ran(opened, plan(), engine, workers=workers)
        assert stored(opened, shared.run.id) == stored(opened, alone.run.id)
        assert counters(opened, shared.run.id) == counters(opened, alone.run.id)
        assert shared.summary == alone.summary


@pytest.mark.stories
def test_a_lost_worker_is_named_and_its_cases_are_run_again(store):
    told = []
    engine = OneProcess(kills=1.0, most_kills=1)
    outcome = ran(store, plan(), engine, told=told)
    assert outcome.done == 60 and engine.started == 4
    assert len(told) == 1 and "lost (killed)" in told[0] and "cases again" in told[0]


class Deadly:
    """An agent whose case 23 ends its worker."""

    __name__ = "deadly"

    def __init__(self, engine):
        self.engine = engine

    def __reduce__(self):
        return _alive, (id(self),)

    async def __call__(self, golden):
        ALIVE[id(self)] = self
        if golden.id == "g023":
            for worker in [w for w in self.engine.alive if any(k[0] == "g023" for k in w._owner)]:
                self.engine.kill(worker)
            await asyncio.sleep(60)
        return await right_mostly(golden)


ALIVE = {}


def _alive(key):
    return ALIVE[key]


@pytest.mark.stories
def test_a_case_that_ends_its_process_is_stored_as_such_and_the_others_are_done(store):
    engine = OneProcess()
    agent = Deadly(engine)
    ALIVE[id(agent)] = agent
    outcome = ran(store, plan(agent=agent), engine)
    found = stored(store, outcome.run.id)
    assert len(found) == 60
    assert "the process ended twice (killed) while this case ran" in found["g023", 0].trajectory.error
    assert not found["g023", 0].passed and found["g022", 0].passed


def test_workers_that_only_die_end_the_run_with_an_infrastructure_error(store):
    class Dying(OneProcess):
        async def lease(self, worker, payload):
            await self.lost(worker)
            self._require(worker)
            yield b""

    with pytest.raises(InfrastructureError, match="10 workers were lost"):
        ran(store, plan(), Dying())
    assert not store.runs.get("last").finished


def test_a_worker_that_cannot_start_ends_the_run_before_anything_is_asked(store):
    class Unpickled:
        __name__ = "unpickled"

        def __reduce__(self):
            return int, ("no number",)

        async def __call__(self, golden):
            raise AssertionError

    with pytest.raises(ConfigError, match=r"worker \d on \S+ cannot start: ValueError: invalid literal"):
        ran(store, plan(agent=Unpickled()), OneProcess())
    assert store.runs.get("last").results == 0


def test_a_worker_with_other_tools_is_refused_by_name(store):
    class Older(OneProcess):
        async def spawn(self, number, setup):
            made = unpack_in_place(setup, lambda paths, folder: None)
            other = Agent(made.plan.agent.model, tools=[{"name": "b", "description": "", "input_schema": {}}])
            return await super().spawn(
                number, dumps(((), "", dumps(replace(made, plan=replace(made.plan, agent=other)))))
            )

    with pytest.raises(ConfigError, match="its tools are not those of this machine"):
        ran(store, plan(), Older())


@pytest.mark.stories
def test_a_silent_worker_is_replaced(store):
    class Deaf(OneProcess):
        async def lease(self, worker, payload):
            if self.started <= 3:
                await asyncio.sleep(60)
            async for sent in super().lease(worker, payload):
                yield sent

    told = []
    outcome = ran(store, plan(), Deaf(), told=told, silence_seconds=0.5)
    assert outcome.done == 60 and any("silent for 0.5 s" in line for line in told)


def test_a_worker_that_hangs_before_its_hello_is_replaced(store):
    class Hanging(OneProcess):
        async def tell(self, worker, message):
            if self.started == 1:
                await asyncio.sleep(60)
            return await super().tell(worker, message)

    told = []
    outcome = ran(store, plan(), Hanging(), workers=1, told=told, hello_seconds=1.0)
    assert outcome.done == 60 and told == ["worker 0 lost (no hello within 1 s)"]


def test_a_run_that_cannot_be_resumed_starts_no_cluster(store):
    class Unstarted(OneProcess):
        async def open(self):
            raise AssertionError("started")

    first = ran(store, plan(20)).run.id
    driver = Driver(Unstarted(), WorkerOptions(2))
    with pytest.raises(ConfigError, match="dataset changed"):
        asyncio.run(run_plan(plan(30), store, backend=driver, resume=first))


@pytest.mark.stories
def test_stopping_early_gives_the_verdict_of_one_process(store):
    options = {"gate": read_gate({"min": 0.9, "target": 0.97, "stop": "evalue"})}
    alone = ran(store, plan(100, **options))
    shared = ran(store, plan(100, **options), OneProcess())
    assert shared.verdict.word == alone.verdict.word == "FAIL"
    assert shared.verdict.saved == alone.verdict.saved > 0
    assert shared.done < 100


def test_a_broken_setup_on_a_worker_ends_the_run_with_its_words(store):
    with pytest.raises(Exception, match="returned int"):
        ran(store, plan(agent=nonsense_agent), OneProcess())


def nonsense_agent(golden):
    return 42


async def slow(golden):
    await asyncio.sleep(0.05)
    return await right_mostly(golden)


@pytest.mark.stories
def test_an_interrupted_run_keeps_what_was_under_way_and_is_resumed(store):
    async def interrupted():
        seen = asyncio.Event()
        work = asyncio.create_task(
            run_plan(
                plan(300, slow),
                store,
                backend=Driver(OneProcess(), WorkerOptions(2)),
                watch=lambda progress, batch: seen.set(),
            )
        )
        await seen.wait()
        work.cancel()
        await asyncio.wait([work])
        assert work.cancelled()

    asyncio.run(interrupted())
    kept = store.runs.get("last")
    assert 0 < kept.results < 300 and not kept.finished
    driver = Driver(OneProcess(), WorkerOptions(2))
    outcome = asyncio.run(run_plan(plan(300, slow), store, resume="last", backend=driver))
    assert outcome.done == 300 and counters(store, "last") == counters(store, ran(store, plan(300)).run.id)


class Priced:
    """A model whose every answer costs 100 tokens."""

    __name__ = "priced"
    name = "priced"

    async def __call__(self, golden):
        await asyncio.sleep(0.001)
        return Trajectory(calls=(ToolCall("a", {"n": 0}),), usage=Usage(80, 20))


def test_results_between_driver_and_runner_count_against_a_hard_budget(store):
    """A lease handed out between the two would spend the same budget twice."""

    class Slow(Driver):
        async def _hand_over(self, batch):
            await asyncio.sleep(0.02)
            await super()._hand_over(batch)

    agent = Agent(Priced(), limits=Limits(tokens=100))
    planned = Plan("test", agent, goldens(100), concurrency=16, run_limits=RunLimits(tokens=2_050))
    outcome = asyncio.run(run_plan(planned, store, backend=Slow(OneProcess(), WorkerOptions(3))))
    assert outcome.done == 20


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_with_limits_of_a_case_the_budget_of_a_run_is_never_exceeded(store, workers):
    limits = {"run_limits": RunLimits(tokens=2_050)}
    agent = Agent(Priced(), limits=Limits(tokens=100))
    priced = Plan("test", agent, goldens(100), concurrency=16, **limits)
    outcome = ran(store, priced, OneProcess() if workers else None, workers=workers or None)
    assert outcome.done == 20 and outcome.verdict.word == "INCONCLUSIVE"
    assert "run_limits" in outcome.stopped


def test_workers_share_several_servers_of_one_model(store, tmp_path):
    import json

    from rightcall.run.suite import load_suite
    from rightcall.run.suite_plan import plan_suite

    with loopback_model() as one, loopback_model() as two:
        urls = [f"http://127.0.0.1:{port}/v1" for port in (one, two)]
        path = write_suite(tmp_path, 40, one, agent={"model": "openai:loopback", "base_url": urls})
        assert json.loads(path.read_text())["agent"]["base_url"] == urls
        outcome = ran(store, plan_suite(load_suite(path), tmp_path), OneProcess(), workers=2)
        asked = [sum(counts(port)["asked"].values()) for port in (one, two)]
    assert outcome.done == 40 == sum(asked) and min(asked) > 0


def test_under_too_many_requests_the_sum_of_throttles_falls_and_recovers_and_nothing_is_lost(store, tmp_path):
    from rightcall.run.suite import load_suite
    from rightcall.run.suite_plan import plan_suite

    seen = []
    with loopback_model(rate_limited=0.2) as port:
        path = write_suite(tmp_path, 300, port, concurrency=16)
        driver = Driver(OneProcess(), WorkerOptions(2))
        plan = plan_suite(load_suite(path), tmp_path)
        watch = lambda progress, batch: seen.append((progress.at_once, progress.retries))  # noqa: E731
        outcome = asyncio.run(run_plan(plan, store, backend=driver, watch=watch))
    assert outcome.done == 300 and outcome.summary.overall.errors == 0
    lowest = min(range(len(seen)), key=lambda at: seen[at][0])
    assert seen[lowest][0] < 16 and seen[-1][1] > 0
    assert max(at_once for at_once, _ in seen[lowest:]) > seen[lowest][0]  # and recovers
    assert all(at_once <= 16 for at_once, _ in seen)


def test_a_rate_is_shared_by_workers(store, tmp_path):
    import time

    from rightcall.run.suite import load_suite
    from rightcall.run.suite_plan import plan_suite

    with loopback_model() as port:
        entry = {"model": "openai:loopback", "base_url": f"http://127.0.0.1:{port}/v1",
                 "rate": {"requests_per_minute": 1200}}  # fmt: skip
        path = write_suite(tmp_path, 60, port, models={"slow": entry}, agent={"model": "slow"})
        began = time.monotonic()
        ran(store, plan_suite(load_suite(path), tmp_path), OneProcess(), workers=3)
    assert time.monotonic() - began >= 60 / 20 * 0.9 - 1  # twenty a second, but for the first of each worker


@pytest.mark.stories
def test_a_store_that_stalls_holds_workers_back_and_loses_nothing(store, monkeypatch):
    import time

    from rightcall.store.sql.run_writer import RunWriter

    add = RunWriter.add
    stalls = iter([0.5, 0.5, 0.5])

    def slow(self, results):
        time.sleep(next(stalls, 0.0))
        return add(self, results)

    monkeypatch.setattr(RunWriter, "add", slow)
    outcome = ran(store, plan(200), OneProcess(), workers=3)
    assert outcome.done == 200 == store.runs.get(outcome.run.id).results


def test_a_worker_that_never_answers_does_not_block_the_others(store):
    class Mute(OneProcess):
        mute = None

        async def tell(self, worker, message):
            if worker is self.mute:
                await asyncio.Event().wait()
            return await super().tell(worker, message)

        async def spawn(self, number, setup):
            worker = await super().spawn(number, setup)
            if number == 1:
                self.mute = worker
            return worker

    outcome = ran(store, plan(), Mute(), workers=2)
    assert outcome.done == 60


def reads_a_file(golden):
    NOTES.read_text()
    return []


NOTES = Path(__file__).with_name("agents.py")


def test_what_agents_read_on_workers_is_stored_with_the_run(store):
    run = ran(store, plan(6, reads_a_file), OneProcess()).run
    document = store.runs.document("watched", run.fingerprints["watched"])
    files = msgspec.json.decode(document)["files"]
    assert "tests/limbs/ray/agents.py" in files
