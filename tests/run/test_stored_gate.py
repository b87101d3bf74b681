"""A gate of a stored run: the verdict of the run itself, whatever the gate requires, in little memory."""

from __future__ import annotations

import asyncio
import tracemalloc

import pytest

from rightcall.decide.config import Gate, read_gate
from rightcall.records import CaseResult, ExpectedCall, Golden
from rightcall.run.decisions import gate_run
from rightcall.run.plan import Plan
from rightcall.run.run_record import new_run
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from tests.run.test_deciding import agent

WORDS = ("lamp", "river", "stone", "cloud", "violin", "harbour", "pepper", "ladder", "mirror", "candle")
GOLDENS = [
    Golden(
        f"{verb} the {word} now",
        f"g{10 * n + i:03}",
        expected_calls=(ExpectedCall("a", {}),),
        tags=("smoke",) if i % 3 else (),
        cluster="north" if i == 0 else None,
    )
    for n, verb in enumerate(("Paint", "Sell", "Polish up", "Look at", "Never mind", "Describe to me"))
    for i, word in enumerate(WORDS)
]
GATES = [
    {"min": 0.7},
    {"min": 0.7, "about": "these_goldens"},
    {"min": 0.7, "rule": "point"},
    {"metrics": {"overall": 0.6}, "by": {"tags": {"smoke": 0.5}, "categories": {"golden": 0.6}}},
    {"min": 0.7, "latency_ms": {"p95": 60_000, "max": 60_000}},
    {"forbid": ["wrong_tool"]},
    {"cost": {"run_usd": 1.0}},
]


@pytest.mark.stories
@pytest.mark.parametrize("quarantine", [frozenset(), frozenset({"g003", "g013"})], ids=["all", "quarantine"])
def test_a_stored_run_has_the_verdict_of_the_run_itself(tmp_path, quarantine):
    with open_store(tmp_path / "results.db") as store:
        for rules in GATES:
            gate = read_gate(rules)
            plan = Plan(
                "test", agent(lambda i, t: (i + t) % 7), GOLDENS, trials=2, gate=gate, quarantine=quarantine
            )
            fresh = asyncio.run(run_plan(plan, store))
            assert gate_run(store, fresh.run.id, gate, quarantine) == fresh.verdict, rules


def stored_run(store, n: int) -> str:
    run = new_run("test", "recorded", fingerprints={})
    writer = store.runs.begin(run, planned=n)
    for start in range(0, n, 2_000):
        ids = [f"golden-{i:06}" for i in range(start, min(n, start + 2_000))]
        writer.add_goldens([Golden(f"Ask {name[::-1]}", name) for name in ids])
        writer.add([CaseResult(name, 0, True, 1.0, {}) for name in ids])
    store.runs.finish(run.id, None)
    return run.id


def peak(store, run: str, gate: Gate) -> int:
    tracemalloc.start()
    assert gate_run(store, run, gate).word == "PASS"
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


@pytest.mark.stories
def test_a_stored_result_takes_two_hundred_bytes_and_not_an_outcome(tmp_path):
    gate = Gate(min=0.5, about="these_goldens")
    with open_store(tmp_path / "results.db") as store:
        few, many = (stored_run(store, n) for n in (2_000, 8_000))
        peak(store, few, gate)  # imports what it needs
        assert peak(store, many, gate) - peak(store, few, gate) < 200 * 6_000
