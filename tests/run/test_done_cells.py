"""What a resumed run leaves out is exactly what is stored, at a bit a cell."""

import asyncio

from hypothesis import given, settings, strategies as st

from rightcall.agents.agent import Agent
from rightcall.records import Golden
from rightcall.run.plan import Plan
from rightcall.run.run_record import DoneCells
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from tests.support.examples import examples


def plan(goldens, trials, agent=lambda golden: []):
    return Plan("test", Agent(agent), [Golden("Do", id=f"g{i}") for i in range(goldens)], trials=trials)


@settings(max_examples=examples(60, few=8))
@given(goldens=st.integers(1, 40), trials=st.integers(1, 3), data=st.data())
def test_jobs_are_all_cells_but_those_that_are_stored(tmp_path_factory, goldens, trials, data):
    path = tmp_path_factory.mktemp("done") / "results.db"
    with open_store(path) as store:
        outcome = asyncio.run(run_plan(plan(goldens, trials), store))
        stored = set(store.runs.result_keys(outcome.run.id))
        assert len(stored) == goldens * trials
        larger = plan(goldens + data.draw(st.integers(0, 20)), trials)
        done = DoneCells.of(larger, store, outcome.run.id)
        left = [(golden.id, trial) for golden, trial in larger.jobs(done)]
    assert done.count == len(stored)
    assert left == [key for golden, trial in larger.jobs() if (key := (golden.id, trial)) not in stored]


def test_a_million_cells_take_an_eighth_of_a_megabyte():
    done = DoneCells()
    for place in range(1_000_000):
        done._add(place % 3 == 0)
    assert done[0] and not done[1] and done[999_999] and done.count == 333_334
    assert len(done._bits) == 125_000
