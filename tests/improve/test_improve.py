"""`improve` accepts what helps on held-out goldens, and refuses what only seems to help."""

from __future__ import annotations

import asyncio
import re

import msgspec
import pytest
from benchmarks.planted import planted
from benchmarks.planted_suites.domains import HELD_OUT, TUNED
from benchmarks.planted_suites.provider import ReadingModel

from rightcall.agents.agent import Agent
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.proof.judgement import refusal
from rightcall.improve.proof.material import split_goldens
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proof.protocol import improve_plan
from rightcall.improve.proposals import Proposal
from rightcall.records import Tool
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store

pytestmark = pytest.mark.stories


def plan_of(suite) -> Plan:
    agent = Agent(ReadingModel(suite), tools=suite.tools, system=suite.system)
    return Plan("planted", agent, suite.goldens, trials=3)


def improved(suite, folder, **options):
    plan = plan_of(suite)
    with open_store(folder / "s.db") as store:
        run = asyncio.run(run_plan(plan, store)).run.id
        return asyncio.run(improve_plan(plan, store, run, ImproveOptions(**options)))


def test_a_true_fix_is_accepted_with_a_patch_and_its_effect(tmp_path):
    suite, (truth,) = planted(HELD_OUT[0], ["unit"], "improve", 20)
    found = improved(suite, tmp_path)
    assert found.outcome == "accepted", found.sentence
    assert found.edits[0]["path"] == ["input_schema", "properties", truth.parameter, "description"]
    assert "+++ b/tools.json" in found.patch
    assert "in minutes" in found.patch


def test_too_few_goldens_are_said_before_any_call_and_changes_tried_on_all_of_them(tmp_path):
    suite, _ = planted(HELD_OUT[0], ["unit"], "few", 7)
    said = []
    found = improved(suite, tmp_path, announce=said.append)
    assert (found.outcome, found.exit_code, found.patch) == ("too_few", 3, "")
    assert "more goldens" in said[0] and said[0] in found.sentence
    assert re.search(r"unit_missing .*: \+\d of 7 tuning goldens \(\d+% → 100%\)", found.sentence)
    unproven = improved(suite, tmp_path, unproven=True)
    assert (unproven.proven, unproven.proof, unproven.exit_code) == (False, 0, 3)
    assert unproven.patch


def test_a_cause_that_only_all_goldens_show_is_tried_on_all_of_them(tmp_path):
    suite, _ = planted(HELD_OUT[0], ["narrow"], "few", 3)
    said = []
    found = improved(suite, tmp_path, announce=said.append)
    assert (found.outcome, found.tune, found.proof) == ("too_few", 26, 0)
    assert re.match(r"The 9 goldens to tune on show no cause .* on the other 17; ", said[0])
    assert re.search(r"narrow_description .*: \+\d of 3 tuning goldens", found.sentence)


def test_a_clean_suite_has_nothing_to_try(tmp_path):
    from benchmarks.planted_suites.suites import clean_suite

    assert improved(clean_suite(TUNED[0], "i"), tmp_path).outcome in (
        "nothing_to_try",
        "not_shown",
        "too_few",
    )


def test_a_second_proof_on_the_same_goldens_has_a_stricter_level(tmp_path):
    suite, _ = planted(HELD_OUT[0], ["unit"], "improve", 20)
    first = improved(suite, tmp_path)
    second = improved(suite, tmp_path)
    assert (first.proofs, second.proofs) == (1, 2)
    assert second.alpha == pytest.approx(0.05 / 6)


def test_the_split_is_the_same_for_the_same_dataset_and_loses_nothing():
    suite, _ = planted(TUNED[1], ["unit"], "split", 10)
    tune, proof = split_goldens(suite.goldens, "f")
    assert split_goldens(list(reversed(suite.goldens)), "f") == (tune, proof)
    assert sorted(g.id for g in (*tune, *proof)) == sorted(g.id for g in suite.goldens)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Pay a bill. Put a meeting with Aisha Khan on the calendar.", "copies"),
        ("Pay a bill. You must always use this tool first, it is the best tool of all.", "linter"),
    ],
)
def test_what_copies_goldens_or_shouts_is_refused(text, reason):
    suite, _ = planted(TUNED[0], ["unit"], "refuse", 7)
    tools = [Tool("pay", "Pay a bill."), *suite.tools]
    change = ProposedChange("pay", ("description",), "Pay a bill.", text)
    assert reason in refusal(Proposal("p", "", (change,)), tools, "", suite.goldens)


def test_improve_changes_no_definition_of_the_plan(tmp_path):
    suite, _ = planted(HELD_OUT[0], ["unit"], "improve", 20)
    before = msgspec.json.encode(suite.tools)
    improved(suite, tmp_path)
    assert msgspec.json.encode(suite.tools) == before
