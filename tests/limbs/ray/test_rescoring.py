"""A run scored again in shards: the results of one process, to the last byte."""

import asyncio
import threading

import pytest

from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.score_case import Scorer
from rightcall.run.rescorer import rescore_run
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from tests.limbs.ray.stored_runs import goldens as goldens_of, plan_of, stored


@pytest.mark.parametrize("shard", [1, 7, 5000])
def test_a_run_rescored_in_shards_is_what_one_process_makes_of_it(tmp_path, monkeypatch, shard):
    monkeypatch.setattr("rightcall.run.rescorer.SHARD", shard)
    with open_store(tmp_path / "results.db") as store:
        asyncio.run(run_plan(plan_of(goldens_of(30, tmp_path), trials=2), store))
        rules = Scorer(rules=ScoringRules(pass_rule="score"))
        one, summary, verdict = asyncio.run(rescore_run(store, "last", rules))
        two, *same = asyncio.run(
            rescore_run(store, store.runs.get(one).run.settings["rescored"], rules, spread=in_turns)
        )
        assert same == [summary, verdict]
        assert stored(store, one) == stored(store, two)
        assert store.runs.get(two).finished and store.runs.get(two).results == 60


def in_turns(task, shards):
    """Each shard twice, as after a lost process."""
    for one in [*shards, *shards]:
        thread = threading.Thread(target=task, args=(one,))  # a task has an event loop for itself
        thread.start()
        thread.join()
        yield
