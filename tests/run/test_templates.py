"""Goldens of one template, through every door: named before the run and in the verdict."""

from __future__ import annotations

import asyncio

import pytest
from click.testing import CliRunner

from rightcall.cli.compare import compare as compare_command
from rightcall.cli.dataset import dataset
from rightcall.cli.gate import gate as gate_command
from rightcall.datasets.goldens import save_goldens
from rightcall.decide.config import read_gate
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.run.decisions import gate_run
from rightcall.run.plan import Plan
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
LINE = "40 goldens follow 8 patterns: rightcall dataset check GOLDENS"
NOTICE = "40 goldens look like 8 templates (“please refund order …”: g000, g008, g016 and 2 more; "


def plan(passes=lambda i, t: True, **gate) -> Plan:
    return Plan("test", agent(passes), GOLDENS, gate=read_gate({"min": 0.8, **gate}))


@pytest.fixture(scope="module")
def url(tmp_path_factory) -> str:
    """Two runs; all pass."""
    path = tmp_path_factory.mktemp("templates") / "results.db"
    with open_store(path) as store:
        for _ in range(2):
            asyncio.run(run_plan(plan(), store))
    return str(path)


def test_the_check_of_a_dataset_names_them(tmp_path):
    save_goldens(GOLDENS, tmp_path / "goldens.jsonl")
    found = CliRunner().invoke(dataset, ["check", str(tmp_path / "goldens.jsonl")])
    text = " ".join(found.output.split())
    assert NOTICE in text and "declare `cluster`" in text


@pytest.mark.parametrize("gate", [{"about": "these_goldens"}, {"rule": "point"}])
def test_a_claim_that_needs_no_independent_goldens_gets_no_notice(gate):
    assert not any("template" in warning for warning in gate_warnings(plan(**gate)))


def test_a_fresh_and_a_stored_verdict_say_it(tmp_path):
    with open_store(tmp_path / "results.db") as store:
        fresh = asyncio.run(run_plan(plan(), store))
        stored = gate_run(store, fresh.run.id, read_gate({"min": 0.8}))
        assert fresh.verdict == stored and stored.word == "PASS"
        (note,) = stored.notes
        assert note.code == "templates" and note.text == LINE


def test_commands_say_it(url):
    found = CliRunner().invoke(gate_command, ["last", "--min", "0.8", "--store", url])
    assert found.exit_code == 0 and LINE in found.output, found.output
    compared = CliRunner().invoke(compare_command, ["last~1", "last", "--store", url])
    assert LINE in compared.output, compared.output
