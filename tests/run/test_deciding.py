"""Gates, early stop and comparisons on real runs in a real store."""

import asyncio

import msgspec
import pytest

from rightcall.agents.agent import Agent
from rightcall.core.errors import ConfigError
from rightcall.decide.config import read_gate
from rightcall.decide.verdict import decide
from rightcall.metrics.builtin.calls import ToolSelection
from rightcall.metrics.score_case import Scorer
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, ToolCall, Trajectory
from rightcall.records.expected_call import ExpectedCall
from rightcall.run.baseline_file import write_baseline
from rightcall.run.baseline_pool import find_baseline
from rightcall.run.decisions import compare_runs, flakiness, gate_run
from rightcall.run.gate_evidence import GateEvidence
from rightcall.run.plan import Plan
from rightcall.run.run_record import new_run
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store


def goldens(n):
    return [Golden(f"Do {i}", id=f"g{i:03}", expected_calls=(ExpectedCall("a", {}),)) for i in range(n)]


def agent(passes) -> Agent:
    """An agent that does the right thing when `passes(golden number, trial)` says so."""

    def answer(request):
        right = passes(int(request.golden_id[1:]), request.trial)
        return ToolCall("a" if right else "b", {})

    return Agent(ScriptedProvider(answer))


def run(store, passes, n=40, **options):
    return asyncio.run(run_plan(Plan("test", agent(passes), goldens(n), **options), store))


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "results.db") as opened:
        yield opened


def test_a_clear_run_passes_its_gate_and_a_poor_one_fails(store):
    gate = read_gate({"min": 0.8})
    assert run(store, lambda i, t: True, gate=gate).verdict.word == "PASS"
    assert run(store, lambda i, t: i % 2, gate=gate).verdict.word == "FAIL"
    assert run(store, lambda i, t: i % 8 != 0, gate=gate).verdict.word == "INCONCLUSIVE"


def test_a_single_forbidden_code_fails_the_run(store):
    gate = read_gate({"forbid": ["wrong_tool"]})
    assert run(store, lambda i, t: i != 7, gate=gate).verdict.word == "FAIL"


def test_a_pass_of_a_gate_without_a_rate_says_how_many_cases_did_not_pass(store):
    gate = read_gate({"forbid": ["no_call"]})
    fresh = run(store, lambda i, t: i % 2, gate=gate)
    assert fresh.verdict.word == "PASS"
    assert fresh.verdict.sentence.endswith("; 20 of 40 cases did not pass, and no pass rate is wanted")
    assert gate_run(store, fresh.run.id, gate) == fresh.verdict
    assert "did not pass" not in run(store, lambda i, t: True, gate=gate).verdict.sentence


def test_a_stored_run_is_judged_as_a_fresh_one(store):
    gate = read_gate({"min": 0.7})
    fresh = run(store, lambda i, t: i % 5 != 0, gate=gate, trials=2)
    assert gate_run(store, fresh.run.id, gate) == fresh.verdict


@pytest.mark.parametrize("concurrency", [1, 16])
def test_stopping_early_decides_the_same_with_fewer_goldens(store, concurrency):
    full = run(store, lambda i, t: i % 3, n=100, gate=read_gate({"min": 0.9}))
    early = run(
        store,
        lambda i, t: i % 3,
        n=100,
        gate=read_gate({"min": 0.9, "target": 0.97, "stop": "evalue"}),
        concurrency=concurrency,
    )
    assert early.verdict.word == full.verdict.word == "FAIL"
    assert early.done < 100 and early.verdict.saved > 0
    assert early.verdict.saved == run(
        store, lambda i, t: i % 3, n=100, gate=read_gate({"min": 0.9, "target": 0.97, "stop": "evalue"}), concurrency=7
    ).verdict.saved  # fmt: skip


def test_quarantined_goldens_are_run_and_decide_nothing(store):
    gate = read_gate({"min": 0.8})
    bad = frozenset(f"g{i:03}" for i in range(0, 40, 2))
    outcome = run(store, lambda i, t: i % 2, gate=gate, quarantine=bad)
    assert outcome.verdict.word == "PASS" and outcome.done == 40


def test_compare_names_what_got_fixed_and_what_broke(store):
    before = run(store, lambda i, t: i >= 20)
    after = run(store, lambda i, t: i != 39)
    (found,) = compare_runs(store, before.run.id, [after.run.id])
    assert found.comparison.change == "IMPROVED"
    assert (len(found.comparison.fixed), found.comparison.broken) == (20, ("g039",))


def test_runs_with_other_metrics_are_compared_only_when_asked(store):
    one = run(store, lambda i, t: True)
    other = run(store, lambda i, t: True, metrics=[ToolSelection()])
    with pytest.raises(ConfigError, match="differ in their metrics"):
        compare_runs(store, one.run.id, [other.run.id])
    assert compare_runs(store, one.run.id, [other.run.id], anyway=True)[0].unlike
    gate = {"run": one.run.id, "margin": 0.1}
    with pytest.raises(ConfigError, match="pass --anyway to compare"):
        gate_run(store, other.run.id, read_gate({"baseline": gate}))
    assert gate_run(store, other.run.id, read_gate({"baseline": {**gate, "anyway": True}})).word == "PASS"


def test_a_growing_dataset_is_compared_where_it_is_the_same(store):
    before = run(store, lambda i, t: True, n=60)
    gate = read_gate({"baseline": {"run": before.run.id, "margin": 0.05}})
    grown = run(store, lambda i, t: i < 60, n=65, gate=gate)
    assert grown.verdict.word == "PASS"
    assert "not compared: 5 goldens only in this run (g060, g061, g062 and 2 more)" in grown.verdict.sentence
    assert gate_run(store, grown.run.id, gate) == grown.verdict
    (found,) = compare_runs(store, before.run.id, [grown.run.id])
    assert (found.comparison.n, len(found.comparison.only_b)) == (60, 5)


def test_a_golden_that_was_edited_is_not_the_same_golden(store):
    before = run(store, lambda i, t: True, n=60)
    edited = [
        Golden("Do something else", id="g007", expected_calls=(ExpectedCall("a", {}),)),
        *goldens(60)[8:],
    ]
    plan = Plan("test", agent(lambda i, t: i != 7), [*goldens(7), *edited])
    after = asyncio.run(run_plan(plan, store))
    gate = {"run": before.run.id, "margin": 0.05}
    verdict = gate_run(store, after.run.id, read_gate({"baseline": gate}))
    assert verdict.checks[0].n == 59 and "1 golden was edited between the runs" in verdict.sentence
    assert gate_run(store, after.run.id, read_gate({"baseline": {**gate, "anyway": True}})).checks[0].n == 60
    (found,) = compare_runs(store, before.run.id, [after.run.id])
    assert found.comparison.broken == () and found.unlike == (
        "1 golden was edited between the runs and not compared: g007",
    )


def test_no_run_is_its_own_baseline(store):
    _, last = (run(store, lambda i, t: True, n=60) for _ in range(2))
    for name in ("last", "last~0", last.run.id):
        with pytest.raises(ConfigError, match="cannot be its own baseline; use `last~1`"):
            gate_run(store, "last", read_gate({"baseline": {"run": name}}))
    with pytest.raises(ConfigError, match="cannot be its own baseline"):
        run(store, lambda i, t: True, gate=read_gate({"baseline": {"run": "last"}}))
    assert len(store.runs.page()) == 2  # refused before anything began
    gate = read_gate({"baseline": {"run": "last~1", "margin": 0.05}})
    assert gate_run(store, "last", gate).word == "PASS"
    third = run(store, lambda i, t: True, n=60, gate=gate)
    assert third.verdict == gate_run(store, "last", gate)


def test_a_tag_a_branch_and_a_file_are_baselines(store, tmp_path, monkeypatch):
    repository(tmp_path, "main", "a" * 40)
    monkeypatch.chdir(tmp_path)
    good = run(store, lambda i, t: True, n=60)
    store.runs.tag(good.run.id, "release")
    write_baseline(find_baseline(store, good.run.id, good.run.name), tmp_path / "good.gz")
    worse = run(store, lambda i, t: i % 2, n=60)
    for name in ("main", "release", "good.gz", "last~1"):
        gate = read_gate({"baseline": {"run": name, "margin": 0.05}})
        verdict = gate_run(store, worse.run.id, gate)
        assert (verdict.word, verdict.checks[0].n) == ("FAIL", 60), name
    assert good.run.versions["git_commit"] == "a" * 40


def repository(folder, branch, commit):
    """What git leaves in a folder, as far as a run looks at it."""
    ref = folder / ".git" / "refs" / "heads" / branch
    ref.parent.mkdir(parents=True)
    ref.write_text(f"{commit}\n")
    (folder / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")


def test_a_baseline_gate_fails_what_fell_behind(store):
    before = run(store, lambda i, t: True)
    gate = read_gate({"baseline": {"run": before.run.id, "margin": 0.05}})
    assert run(store, lambda i, t: i % 2, gate=gate).verdict.word == "FAIL"


def test_goldens_that_pass_sometimes_are_named(store):
    outcome = run(store, lambda i, t: i != 3 or t % 2, trials=6)
    found = flakiness(store, outcome.run.id)
    assert [(case.golden_id, case.passed, case.trials) for case in found.flaky] == [("g003", 3, 6)]
    assert found.stable_pass == 39


def test_a_golden_that_does_harm_is_never_proposed_for_quarantine(store):
    harmless = [Golden("?", id=f"g{i:03}", expected_calls=(ExpectedCall("a", {}),)) for i in range(2)]
    harmful = Golden("?", id="g002", expected_calls=(ExpectedCall("a", {}),), forbidden_calls=("b",))
    plan = Plan("test", agent(lambda i, t: t % 2), [*harmless, harmful], trials=6)
    ran = asyncio.run(run_plan(plan, store))
    found = flakiness(store, ran.run.id)
    assert {case.golden_id: case.quarantine for case in found.flaky} == {
        "g000": True,
        "g001": True,
        "g002": False,
    }


def busy(store):
    """A run on a machine that added up to 500 ms to each time of 1,400."""
    taken = Trajectory(calls=(ToolCall("a", {}),), latency_ms=1400.0, lag_ms=500.0)
    golden = goldens(1)[0]
    scored = asyncio.run(Scorer([]).result(golden, 0, taken, {}))
    scored = msgspec.structs.replace(scored, trajectory=taken)
    gate = read_gate({"latency_ms": {"p95": 1000}})
    evidence = GateEvidence(gate)
    evidence.add(scored)
    made = new_run("test", "agent", fingerprints={})
    store.runs.begin(made, planned=1).add([scored])
    return decide(gate, evidence.outcomes()), gate_run(store, made.id, gate)


def test_the_gates_latency_knows_a_busy_machine_in_a_run_and_in_the_store(store):
    fresh, stored = busy(store)
    assert fresh == stored
    assert fresh.word == "INCONCLUSIVE"


def unfinished(store):
    """Ten of forty results, as after Ctrl-C."""
    whole = run(store, lambda i, t: True)
    some = [result for result in store.runs.results(whole.run.id) if result.golden_id < "g010"]
    cut = msgspec.structs.replace(
        whole.run, id=new_run("test", "agent", fingerprints={}).id, finished_at=None
    )
    writer = store.runs.begin(cut, planned=40)
    writer.add_goldens(goldens(40))
    writer.add(some)
    return whole.run.id, cut.id


@pytest.mark.parametrize("turned", [False, True])
def test_an_unfinished_run_is_not_compared_without_saying_so(store, turned):
    pair = unfinished(store)
    before, after = reversed(pair) if turned else pair
    with pytest.raises(ConfigError, match="is unfinished: 10 of 40 results are stored"):
        compare_runs(store, before, [after])
    (found,) = compare_runs(store, before, [after], anyway=True)
    assert any("is unfinished" in said for said in found.unlike)


def test_an_unfinished_run_is_not_a_baseline_of_a_gate(store):
    whole, cut = unfinished(store)
    gate = read_gate({"baseline": {"run": cut, "margin": 0.1}})
    with pytest.raises(ConfigError, match="is unfinished"):
        gate_run(store, whole, gate)
