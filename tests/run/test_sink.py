"""A batch is kept until it is stored; a store that does not recover ends the run."""

from __future__ import annotations

import asyncio
import sqlite3
import time

import pytest

import rightcall as rc
from rightcall.core.errors import StoreError
from rightcall.decide.config import Gate
from rightcall.records import Golden, ToolCall
from rightcall.run.decisions import gate_run
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.run.sink import Sink, store_batch
from rightcall.store.address import Persistence, open_store
from tests.store.builders import a_result, a_run


def gone(retryable=True):
    return StoreError("store results.db: database is locked", retryable=retryable)


class Flaky:
    """A store that refuses the first `failures` writes, and keeps each result once."""

    def __init__(self, failures, *, after_commit=False):
        self.failures = failures
        self.after_commit = after_commit
        self.kept = {}

    def write(self, batch):
        if self.failures and not self.after_commit:
            self.failures -= 1
            raise gone()
        self.kept |= {result.golden_id: result for result in batch}
        if self.failures:
            self.failures -= 1
            raise gone()


async def pour(store, count, **options):
    told = []
    async with Sink(store.write, told.extend, **options) as sink:
        for number in range(count):
            await sink.put(a_result(f"g-{number}"))
    return [result.golden_id for result in told]


@pytest.mark.parametrize("after_commit", [False, True])
@pytest.mark.parametrize("count", [1, 250])
def test_a_store_that_recovers_has_every_result_and_each_is_reported_once(count, after_commit):
    store = Flaky(2, after_commit=after_commit)
    told = asyncio.run(pour(store, count))
    assert told == list(store.kept) == [f"g-{number}" for number in range(count)]


def test_cases_that_wait_for_a_full_sink_are_written_together():
    sizes = []

    def write(batch):
        sizes.append(len(batch))
        time.sleep(0.002)

    async def work(sink, worker):
        for number in range(10):
            await sink.put(a_result(f"{worker}-{number}"))
            await asyncio.sleep(0)

    async def run():
        async with Sink(write, lambda batch: None) as sink:
            await asyncio.gather(*(work(sink, worker) for worker in range(150)))

    asyncio.run(run())
    assert sum(sizes) == 1500
    assert len(sizes) < 75  # not one for each case that waited


def test_what_is_stored_already_counts_and_not_what_is_in_hand(tmp_path):
    with open_store(tmp_path / "results.db") as store:
        writer = store.runs.begin(a_run())
        writer.add([a_result("a")])
        batch = [a_result("a", passed=False, tags=("x",)), a_result("b", passed=False)]
        told = store_batch(store, writer, batch)
        assert [(r.golden_id, r.passed, r.tags) for r in told] == [("a", True, ("x",)), ("b", False, ())]
        assert [r.passed for r in store.runs.results(writer.run_id)] == [True, False]


def test_a_store_that_does_not_recover_breaks_the_sink_once():
    errors = []
    with pytest.raises(StoreError, match="locked"):
        asyncio.run(pour(Flaky(10**9), 1000, broken=errors.append, persist=Persistence(0)))
    assert len(errors) == 1


def test_what_cannot_be_helped_is_not_tried_again():
    tried = []

    def work():
        tried.append(1)
        raise gone(retryable=False)

    with pytest.raises(StoreError):
        Persistence()(work)
    assert len(tried) == 1


def test_persistence_ends_when_its_time_is_over():
    times = iter([0.0, 1.0, 61.0])
    with pytest.raises(StoreError):
        Persistence(60, clock=lambda: next(times))(lambda: Flaky(1).write([]))


def plan(goldens=30):
    def answer(golden):
        return [ToolCall("add", {})]

    return Plan("law", rc.Agent(answer, tools=[{"name": "add", "description": "Add", "input_schema": {"type": "object"}}]),
                [Golden(f"add {i}", id=f"g-{i}") for i in range(goldens)], concurrency=4)  # fmt: skip


def test_results_that_vanish_from_the_store_leave_the_run_unfinished(tmp_path):
    file = tmp_path / "results.db"

    def lose(progress, batch):
        with sqlite3.connect(file) as other:
            other.execute("DELETE FROM results WHERE golden_id = 'g-3'")
        other.close()

    with open_store(file) as store:
        with pytest.raises(StoreError, match="29 of 30 results are stored"):
            asyncio.run(run_plan(plan(), store, watch=lose))
        assert not store.runs.get("last").finished and store.runs.get("last").verdict == ""


def test_a_dataset_that_shrinks_while_it_is_run_gives_no_verdict(tmp_path):
    shrinking = plan()
    with open_store(tmp_path / "results.db") as store, pytest.raises(StoreError, match="20 of 30"):
        asyncio.run(
            run_plan(shrinking, store, started=lambda run: shrinking.dataset.__delitem__(slice(20, 30)))
        )


def test_a_gate_does_not_judge_an_unfinished_run(tmp_path):
    with open_store(tmp_path / "results.db") as store:
        store.runs.begin(a_run("part"), planned=240).add([a_result(f"g-{i}") for i in range(156)])
        verdict = gate_run(store, "part", Gate(min=0.5))
    assert verdict.word == "INCONCLUSIVE" and "156 of 240 results" in verdict.sentence
