"""What travels between driver and workers arrives as it was sent, whatever agents and datasets contain."""

import json

import pytest

from rightcall.agents.agent import Agent
from rightcall.datasets.goldens import load_goldens
from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions
from rightcall.limbs.ray.message import Sent, cases_to_send, encode_sent, pack_lease, read_sent, unpack_lease
from rightcall.metrics.score_case import Scorer
from rightcall.records import ExpectedCall, Golden, ToolCall, Trajectory, Usage
from rightcall.records.failure import Failure
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from tests.limbs.ray.one_process import OneProcess, dumps

HOSTILE = [2**70, "\ud800", {1, 2}, object, float("nan"), b"\x00", {"a": [[["deep"]]]}, (1, (2,))]

GOLDENS = [
    {"input": "Weather?", "expected_calls": [{"tool": "a", "args": {"n": 1.0, "m": [1, None, {"x": True}]}}]},
    {"input": "Ünï", "id": "ünï", "tags": ["t"], "cluster": "c", "metadata": {"a": [1, 2.5, {"b": None}]}},
    {"input": "Big", "expected_calls": [{"tool": "a", "args": {"n": 2**70}}]},
    {"input": "No", "category": "negative", "no_calls": True, "max_calls": 3, "tools": ["a", {"name": "b"}]},
]
CONVERSATION = {"id": "talk", "scenario": "A refund", "turns": [{"role": "user", "content": "Hello"}]}


@pytest.mark.parametrize("rows", [[one] for one in GOLDENS] + [GOLDENS, [CONVERSATION]])
def test_goldens_of_a_file_arrive_as_they_were_read(tmp_path, rows):
    (tmp_path / "goldens.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cells = [(golden, trial) for golden in load_goldens(tmp_path / "goldens.jsonl") for trial in (0, 3)]
    unpacked = unpack_lease(pack_lease(7, cells, dumps))
    assert repr(unpacked) == repr((7, cells))  # 1 and 1.0 and True are equal, and not the same


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_a_result_arrives_whatever_its_agent_did(value):
    golden = Golden("Do", id="g", expected_calls=(ExpectedCall("a", {"n": 1}),))
    done = Trajectory(calls=(ToolCall("a", {"n": value}),), usage=Usage(3, 4), lag_ms=2.0)
    result = Scorer().stated(golden, 0, done, {})
    assert any(isinstance(failure, Failure) for failure in result.codes)
    sent = read_sent(encode_sent(Sent(cases_to_send([(0, result)]))))
    arrived = sent.cases[0].result((golden, 0))
    assert (arrived.passed, arrived.score, arrived.usage) == (False, result.score, result.usage)
    assert [failure.code for failure in arrived.codes] == [failure.code for failure in result.codes]


def hostile(golden):
    return [ToolCall("a", {"n": HOSTILE[golden.metadata["which"]]})]


def test_hostile_values_are_stored_as_by_one_process(tmp_path):
    goldens = [
        Golden(
            "Do",
            id=f"g{which}",
            expected_calls=(ExpectedCall("a", {"n": 1}),),
            metadata={"which": which},
        )
        for which in range(len(HOSTILE))
    ]
    plan = Plan("test", Agent(hostile), goldens)

    async def both(store):
        alone = await run_plan(plan, store)
        shared = await run_plan(plan, store, backend=Driver(OneProcess(), WorkerOptions(2)))
        return alone.run.id, shared.run.id

    import asyncio

    from tests.limbs.ray.stored_runs import stored

    with open_store(tmp_path / "results.db") as store:
        alone, shared = asyncio.run(both(store))
        assert repr(stored(store, alone)) == repr(stored(store, shared))  # a NaN is not equal to itself
        assert len(stored(store, shared)) == len(HOSTILE)
