"""Evidence kept in columns is that of the results themselves, in any order, and small."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, strategies as st

from rightcall.decide.config import Gate, read_gate
from rightcall.decide.verdict import decide
from rightcall.records import CaseResult, Failure, Score, Usage
from rightcall.run.gate_evidence import GateEvidence, gather_outcomes

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
    assert list(evidence.outcomes()) == gather_outcomes(only)


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


@pytest.mark.stories
def test_outcomes_are_made_as_they_are_read_and_a_verdict_keeps_none_of_them():
    gate = Gate(min=0.5)
    evidence = GateEvidence(gate)
    for n in range(20_000):
        evidence.add(CaseResult(f"golden-{n}", 0, n % 10 != 0, 1.0, {}))
    decide(gate, evidence.outcomes())  # imports what it needs
    tracemalloc.start()
    verdict = decide(gate, evidence.outcomes())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert verdict.word == "PASS" and peak < 120 * 20_000  # an outcome with its id takes about 200 bytes


def test_ids_with_zero_bytes_stay_apart_and_in_order():
    evidence = GateEvidence(Gate(min=0.5))
    ids = ["a\0", "a", "a\0\0b", "a0", "a\0\xff"]
    for trial in (1, 0):
        for golden in ids:
            evidence.add(CaseResult(golden, trial, True, 1.0, {}))
    outcomes = evidence.outcomes()
    assert [outcome.golden_id for outcome in outcomes] == sorted(ids)
    assert all(len(outcome.passes) == 2 for outcome in outcomes) and outcomes[-1] == [*outcomes][-1]
