"""No PASS, and no better, worse or equal, from nothing: one table for gates, comparisons and plans, through every door."""

from __future__ import annotations

import asyncio
import math

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.api.decisions import sample_size
from rightcall.cli.compare import compare as compare_command
from rightcall.cli.gate import gate as gate_command
from rightcall.decide.candidates import compare_many
from rightcall.decide.comparison import compare
from rightcall.decide.config import read_gate
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.sample_size import plan
from rightcall.decide.verdict import decide
from rightcall.metrics.score_case import Scorer
from rightcall.records import CaseResult
from rightcall.records.run import Run
from rightcall.run.decisions import compare_runs, gate_run
from rightcall.run.plan import Plan
from rightcall.run.rescorer import rescore_run
from rightcall.run.run_record import new_run
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.store.sql.store import Store
from tests.run.test_deciding import agent, goldens

IDS = [f"g{n:03}" for n in range(40)]
SCORED = [Outcome(name, (1.0,)) for name in IDS]

NOTHING: dict[str, list[Outcome]] = {
    "no golden": [],
    "all errors": [Outcome(name, errors=1) for name in IDS],
    "nothing scored": [Outcome(name) for name in IDS],
    "errors in every trial": [Outcome(name, errors=3) for name in IDS],
}
GATES = {
    "a rate": {"min": 0.5},
    "a point": {"min": 0.5, "rule": "point"},
    "these goldens": {"min": 0.5, "about": "these_goldens"},
    "a metric": {"metrics": {"f1": 0.5}},
    "a category": {"by": {"categories": {"negative": 0.5}}},
    "a tag": {"by": {"tags": {"smoke": 0.5}}},
    "a code": {"forbid": ["wrong_tool"]},
    "a latency": {"latency_ms": {"p95": 1000}},
    "a cost": {"cost": {"run_usd": 1}},
    "any number of errors": {"min": 0.5, "max_error_rate": 1.0},
    "a baseline": {"baseline": {"run": "x", "margin": 0.5}},
}
SETTLES_NOTHING = {
    **NOTHING,
    "other goldens": [Outcome(f"other-{name}", (1.0,)) for name in IDS],
    "one golden": [Outcome("g000", (0.0,) * 50)],
    "one cluster": [Outcome(name, (0.0,), cluster="c") for name in IDS],
}
ABSENT = {name: GATES[name] for name in ("a metric", "a category", "a tag", "a latency", "a cost")}


@pytest.mark.parametrize("rule", GATES)
@pytest.mark.parametrize("evidence", NOTHING)
def test_a_gate_passes_nothing(evidence, rule):
    verdict = decide(read_gate(GATES[rule]), NOTHING[evidence], baseline=SCORED)
    assert (verdict.word, verdict.exit_code) == ("ERROR", 4), verdict.sentence


@pytest.mark.parametrize("rule", ABSENT)
def test_a_gate_about_something_absent_is_undecided_though_all_passed(rule):
    assert decide(read_gate(ABSENT[rule]), SCORED).word == "INCONCLUSIVE"


@pytest.mark.parametrize("margin", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("evidence", SETTLES_NOTHING)
def test_a_comparison_with_nothing_settles_nothing(evidence, margin):
    nothing = SETTLES_NOTHING[evidence]
    pairs = [(SCORED, nothing), (nothing, SCORED), (nothing, nothing)]
    if evidence == "one cluster":  # the clusters are those of the candidate
        pairs.remove((nothing, SCORED))
    if evidence == "other goldens":  # with themselves they have much in common
        pairs.pop()
    for before, after in pairs:
        found = compare(before, after, margin=margin)
        assert (found.change, found.exit_code) == ("INCONCLUSIVE", 3), found.sentence
        for _, one, p in compare_many(before, [("x", after), ("y", after)], margin=margin):
            assert one.change == "INCONCLUSIVE" and p == 1.0, one.sentence
        against = read_gate({"baseline": {"run": "x", "margin": margin}})
        assert decide(against, after, baseline=before).word in ("INCONCLUSIVE", "ERROR")


def test_a_metric_that_no_run_has_is_named():
    found = compare(SCORED, SCORED, metric="f1", margin=0.5)
    assert (found.change, found.n) == ("INCONCLUSIVE", 0)
    assert found.sentence == "nothing to compare: no golden has a value of the metric 'f1' in both runs"


@pytest.mark.parametrize(
    "settings", [{"margin": 1.0}, {"margin": -0.1}, {"margin": math.nan}]
    + [{"alpha": alpha} for alpha in (0, 0.6, 1.0, 2.0, math.nan)],
)  # fmt: skip
def test_a_comparison_that_everything_satisfies_is_refused(settings):
    with pytest.raises(rc.errors.ConfigError, match=f"compare: {next(iter(settings))} must be"):
        compare(SCORED, SCORED, **settings)


IMPOSSIBLE = [
    {"min": 0.9, "target": 0.9}, {"min": 0.95, "target": 0.9}, {"min": 0.0, "target": 0.5},
    {"min": 0.9, "target": 1.0}, {"min": 1.0, "target": 1.0}, {"min": math.nan, "target": 0.9},
    {"min": 0.9, "target": math.nan}, {"power": 0.0}, {"power": 1.0}, {"alpha": 0.0}, {"alpha": 1.0},
    {"trials": 0}, {"icc": 1.5, "trials": 2},
]  # fmt: skip


@pytest.mark.parametrize("asked", IMPOSSIBLE, ids=str)
def test_an_impossible_plan_is_refused_by_library_and_command(asked):
    options = {"min": 0.9, "target": 0.97, **asked}
    with pytest.raises(rc.errors.RightCallError):
        sample_size(**options)
    rates = [word for name in ("min", "target") for word in (f"--{name}", str(options[name]))]
    if asked.keys() <= {"min", "target"}:
        result = CliRunner().invoke(gate_command, ["--plan", *rates])
        assert result.exit_code != 0 and "goldens" not in result.output


@pytest.mark.parametrize("have", [0, -1])
def test_a_plan_for_no_goldens_is_refused(have):
    with pytest.raises(rc.errors.ConfigError, match="the dataset has no goldens"):
        plan(0.9, 0.97, have=have)


# ------------------------------------------------------------------ stored runs


def write(store: Store, results: list[CaseResult], tag: str) -> Run:
    """A finished run with these results."""
    run = new_run("test", "agent", fingerprints={"dataset": tag})
    writer = store.runs.begin(run, planned=len(results))
    writer.add_goldens(goldens(40))
    writer.add(results)
    store.runs.finish(run.id, None)
    store.runs.tag(run.id, tag)
    return run


@pytest.fixture(scope="module")
def url(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("nothing") / "results.db"
    early = read_gate({"min": 0.5, "target": 0.9, "stop": "evalue"})
    with open_store(path) as store:
        write(store, [CaseResult(name, 0, True, 1.0, {}) for name in IDS], "good")
        write(store, [CaseResult(name, 0, False, 0.0, {}) for name in IDS], "bad")
        write(store, [CaseResult(name, 0, False, 0.0, {}, error="429") for name in IDS], "errors")
        write(store, [CaseResult("g000", t, False, 0.0, {}) for t in range(50)], "one")
        write(store, [], "empty")
        for tag, passes in (("early-fail", lambda i, t: False), ("early-pass", lambda i, t: True)):
            plan_ = Plan("test", agent(passes), goldens(40), gate=early, concurrency=1)
            ran = asyncio.run(run_plan(plan_, store)).run
            store.runs.tag(ran.id, tag)
    return str(path)


@pytest.mark.parametrize("tag", ["errors", "empty"])
@pytest.mark.parametrize("options", [["--min", "0.5"], ["--forbid", "wrong_tool"]])
def test_the_command_passes_no_stored_run_without_evidence(url, tag, options):
    found = CliRunner().invoke(gate_command, [tag, "--store", url, *options])
    assert found.exit_code == 4 and "ERROR" in found.output, found.output


def test_a_stored_run_of_which_every_golden_is_quarantined_is_an_error(url):
    with open_store(url) as store:
        assert gate_run(store, "good", read_gate({"min": 0.5})).word == "PASS"
        assert gate_run(store, "good", read_gate({"min": 0.5}), frozenset(IDS)).word == "ERROR"


@pytest.mark.parametrize("margin", ["0", "0.9"])
@pytest.mark.parametrize("pair", [("good", "errors"), ("errors", "good"), ("good", "one"), ("good", "empty")])
def test_the_command_compares_no_stored_run_with_nothing(url, pair, margin):
    found = CliRunner().invoke(compare_command, [*pair, "--margin", margin, "--anyway", "--store", url])
    assert found.exit_code == 3 and "INCONCLUSIVE" in found.output, found.output


@pytest.mark.parametrize("tag", ["early-fail", "early-pass"])
def test_a_run_that_stopped_early_is_judged_by_its_own_gate_alone(url, tag):
    with open_store(url) as store:
        stored = store.runs.get(tag)
        assert stored.run.summary is not None and stored.run.summary.stopped_early
        for rules in ({"min": 0.5}, {"min": 0.5, "rule": "point"}, {"by": {"categories": {"golden": 0.5}}}):
            verdict = gate_run(store, tag, read_gate(rules))
            assert verdict.word == "INCONCLUSIVE", verdict.sentence
            assert f"its own said {stored.verdict}: {stored.run.summary.reason}" in verdict.sentence
        for pair in (("good", tag), (tag, "good")):
            with pytest.raises(
                rc.errors.ConfigError, match="stopped early, at a point that its results determined"
            ):
                compare_runs(store, pair[0], [pair[1]])


def test_scores_made_again_keep_that_the_run_stopped_early(url):
    with open_store(url) as store:
        again, summary, _ = asyncio.run(rescore_run(store, "early-pass", Scorer([])))
        assert summary.stopped_early
        assert gate_run(store, again, read_gate({"min": 0.5})).word == "INCONCLUSIVE"
