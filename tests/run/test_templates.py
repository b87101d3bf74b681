"""Goldens of one template, through every door: named before the run and in the verdict, one unit with `cluster: auto`."""

from __future__ import annotations

import asyncio

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.check.design import goldens_with_places
from rightcall.cli.compare import compare as compare_command
from rightcall.cli.gate import gate as gate_command
from rightcall.decide.config import read_gate
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import Golden
from rightcall.run.decisions import gate_run
from rightcall.run.plan import Plan, Selection
from rightcall.run.preparation import gate_warnings
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from tests.run.test_deciding import agent

VERBS = ("refund", "cancel", "track", "return", "pay for", "describe", "repeat", "insure")
GOLDENS = [
    Golden(f"Please {verb} order A{100 + i}", f"g{8 * i + n:03}", expected_calls=(ExpectedCall("a", {}),))
    for n, verb in enumerate(VERBS)
    for i in range(5)
]
NOTICE = "40 goldens look like 8 templates (“please refund order …”: g000, g008, g016 and 2 more; "
UNITS = "with one unit per template the verdict is INCONCLUSIVE"


def plan(passes=lambda i, t: True, **gate) -> Plan:
    return Plan("test", agent(passes), GOLDENS, gate=read_gate({"min": 0.8, **gate}))


@pytest.fixture(scope="module")
def url(tmp_path_factory) -> str:
    """Two runs without and one with `cluster: auto`; all pass."""
    path = tmp_path_factory.mktemp("templates") / "results.db"
    with open_store(path) as store:
        for gate in ({}, {}, {"cluster": "auto"}):
            asyncio.run(run_plan(plan(**gate), store))
    return str(path)


def test_templates_are_named_before_the_run():
    (notice,) = gate_warnings(plan())
    assert notice.startswith(NOTICE) and notice.endswith("declare `cluster` or use `cluster: auto`")
    (impossible,) = gate_warnings(plan(cluster="auto"))
    assert "40 goldens in 8 clusters, the largest of 5, cannot show 80% even if all pass" in impossible


@pytest.mark.parametrize("gate", [{"about": "these_goldens"}, {"rule": "point"}])
def test_a_claim_that_needs_no_independent_goldens_gets_no_notice(gate):
    assert not any("template" in warning for warning in gate_warnings(plan(**gate)))


def test_a_fresh_and_a_stored_verdict_say_it_and_auto_counts_templates(tmp_path):
    with open_store(tmp_path / "results.db") as store:
        for word, gate in (("PASS", {}), ("INCONCLUSIVE", {"cluster": "auto"})):
            fresh = asyncio.run(run_plan(plan(**gate), store))
            stored = gate_run(store, fresh.run.id, read_gate({"min": 0.8, **gate}))
            assert fresh.verdict == stored and stored.word == word
            assert [note.endswith(UNITS) for note in stored.notes] == ([True] if not gate else [])


def test_commands_and_library_take_the_setting(url):
    for options, exit_code, said in (
        ([], 0, UNITS),
        (["--cluster", "auto"], 3, "undecided against 80%"),
    ):
        found = CliRunner().invoke(gate_command, ["last~1", "--min", "0.8", "--store", url, *options])
        assert (found.exit_code, said in found.output) == (exit_code, True), found.output
        compared = CliRunner().invoke(compare_command, ["last~2", "last~1", "--store", url, *options])
        assert (NOTICE in compared.output.replace("\n", " ")) == (not options), compared.output
    assert rc.gate("last~1", min=0.8, cluster="auto", store=url).word == "INCONCLUSIVE"
    (auto,) = rc.compare("last~2", "last~1", cluster="auto", store=url)
    assert (auto.comparison.n, auto.comparison.clusters, auto.notes) == (40, 8, ())


def test_a_store_keeps_goldens_as_declared_so_that_later_decisions_choose(url):
    with open_store(url) as store:
        assert {golden.cluster for golden in store.runs.goldens(store.runs.get("last").id)} == {None}
        assert gate_run(store, "last", read_gate({"min": 0.8})).word == "PASS"
        assert gate_run(store, "last", read_gate({"min": 0.8, "cluster": "auto"})).word == "INCONCLUSIVE"


def test_check_draws_templates_whole():
    placed = [golden for golden, _, _ in goldens_with_places(plan(cluster="auto"))]
    assert len({golden.cluster for golden in placed}) == 8


def test_the_clusters_do_not_depend_on_what_is_selected():
    auto = read_gate({"min": 0.8, "cluster": "auto"})
    chosen = Plan("test", Agent("scripted:x"), GOLDENS, gate=auto, selection=Selection(("g03?",)))
    assert {golden.cluster for golden in chosen.in_dataset_order()} == {
        f"template of g00{n}" for n in range(8)
    }
