"""Evidence kept in columns is that of the results themselves, in any order, and small."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, strategies as st

from rightcall.gate import Gate, read_gate
from rightcall.model import CaseResult, Failure, Score, Usage
from rightcall.suite.gate_evidence import GateEvidence
from rightcall.suite.outcome import gathered

CODES = ["wrong_value", "missing_call", "forbidden_call"]
scores = st.builds(Score, st.floats(0, 1), st.booleans(), error=st.sampled_from(["", "", "broke"]))


@st.composite
def results(draw):
    golden = draw(st.sampled_from("abcd"))
    return CaseResult(
        golden,
        draw(st.integers(0, 5)),
        draw(st.booleans()),
        0.0,
        draw(st.dictionaries(st.sampled_from(["overall", "mine", "other"]), scores)),
        tuple(Failure(code) for code in draw(st.lists(st.sampled_from(CODES), max_size=3))),
        category="secondary" if golden == "a" else "golden",
        error=draw(st.sampled_from(["", "", "429"])),
        latency_ms=draw(st.none() | st.floats(0, 9)),
        usage=Usage(0, 0, draw(st.none() | st.floats(0, 9))),
        cluster="north" if golden in "ab" else None,
        tags=("x",) if golden in "bc" else (),
    )


cases = st.lists(results(), max_size=20, unique_by=lambda result: (result.golden_id, result.trial))


@given(cases, st.randoms())
def test_outcomes_are_those_of_the_results_whatever_their_order(found, shuffler):
    gate = read_gate({"metrics": {"mine": 0.5}, "latency_ms": {"p95": 9}, "cost": {"run_usd": 9}})
    kept = [r for r in sorted(found, key=lambda r: r.golden_id) if r.golden_id != "d"]
    only = [
        CaseResult(
            r.golden_id,
            r.trial,
            r.passed,
            r.score,
            {n: s for n, s in r.metrics.items() if n == "mine"},
            r.codes,
            r.category,
            r.cluster,
            r.tags,
            r.error,
            r.latency_ms,
            r.usage,
        )
        for r in kept
    ]
    shuffler.shuffle(found)
    evidence = GateEvidence(gate, frozenset("d"))
    for result in found:
        evidence.add(result)
    assert evidence.outcomes() == gathered(only)


@pytest.mark.parametrize("trials", [1, 20])
def test_a_trial_takes_sixty_bytes_and_not_a_result(trials):
    results = [
        CaseResult(f"golden-{n}", t, True, 1.0, {}, latency_ms=1.5)
        for n in range(10_000 // trials)
        for t in range(trials)
    ]
    evidence = GateEvidence(Gate(min=0.5))
    tracemalloc.start()
    for result in results:
        evidence.add(result)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 60 * len(results)
