"""Where doubts act: stored runs that vote, `check` and `improve` without what nobody can pass, `dataset check`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.check.options import CheckOptions
from rightcall.check.suite_check import check_suite
from rightcall.cli.dataset import check as dataset_check
from rightcall.improve.past_evidence import cases_of_result, past_evidence
from rightcall.improve.run_analysis import analyze_results, analyze_run
from rightcall.improve.votes import Voter
from rightcall.metrics.case_result import result_of
from rightcall.records import CaseResult, ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.run.rehearsal.known_good import goldens_never_met
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.store.address import open_store

TRANSFER = {"source": "a1", "target": "b1", "cents": 1000}
PAID = {"accounts": {"a1": {"balance": 8000}, "b1": {"balance": 1000}}, "transfers": [TRANSFER]}


def golden(name: str, balance: int) -> dict[str, Any]:
    paid = {**PAID, "accounts": {"a1": {"balance": balance}, "b1": {"balance": 1000}}}
    return {
        "id": name,
        "input": f"Send 10 euros from a1 to b1, for {name}.",
        "expected_calls": [{"tool": "transfer", "args": TRANSFER, "extra_args": "ignore"}],
        "expected_state": {"bank": paid},
    }


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite in whose world the expected calls of the golden `wrong` do not give the expected state."""
    monkeypatch.chdir(tmp_path)
    rows = [golden("right", 8000), golden("fine", 8000), golden("wrong", 7000)]
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(
        "name: bank\ndataset: goldens.jsonl\nagent: {model: 'scripted:agent.yaml', mode: loop}\n"
        "worlds: {bank: {accounts: {a1: {owner: An, balance: 9000}, b1: {owner: Bob, balance: 0}}}}\n",
        encoding="utf-8",
    )
    (tmp_path / "agent.yaml").write_text(
        "replies:\n  - turns:\n    - {calls: [{name: transfer, arguments: {source: a1, target: b1, cents: 1000, idempotency_key: k}}]}\n"
        "    - {text: Done.}\n",
        encoding="utf-8",
    )
    return tmp_path / "suite.yaml"


def test_a_world_shows_which_golden_nobody_can_pass(bank: Path) -> None:
    plan = plan_suite(load_suite(bank), bank.parent).with_goldens()

    async def never_met(*passed: str) -> list[str]:
        return [name async for name, _ in goldens_never_met(plan, passed)]

    assert asyncio.run(never_met()) == ["wrong"]
    assert asyncio.run(never_met("wrong")) == []
    (doubt,) = rc.audit(bank, only="doubts").doubts
    assert (doubt.golden_id, doubt.code, doubt.band) == ("wrong", "cannot_be_met", "certain")


def test_check_leaves_it_out_and_says_so(bank: Path) -> None:
    rc.run_suite(bank)
    with open_store(None) as store:
        result = asyncio.run(check_suite(load_suite(bank), bank, store, CheckOptions(baseline="last")))
    assert result.quarantined == ("wrong",)
    assert any(
        note.startswith("1 golden left out, because even the expected behaviour does not pass: wrong (")
        for note in result.notes
    )


def test_runs_vote_by_the_content_of_goldens(bank: Path) -> None:
    rc.run_suite(bank)
    goldens = list(plan_suite(load_suite(bank), bank.parent).goldens())
    with past_evidence("bank") as past:
        ballots = past.ballots()
        assert [len(ballots(one)) for one in goldens] == [1, 1, 1]
        assert past.electorate().changed == 0
    rows = [golden("right", 8000), golden("fine", 8000), golden("wrong", 6000)]
    (bank.parent / "goldens.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    changed = list(plan_suite(load_suite(bank), bank.parent).goldens())
    with past_evidence("bank") as past:
        ballots = past.ballots()
        assert {one.id: len(ballots(one)) for one in changed} == {"right": 1, "fine": 1, "wrong": 0}
        assert past.electorate().changed == 1


def test_what_says_nothing_about_an_agent_does_not_vote() -> None:
    said = ToolCall("a", {})
    results = {
        "judged": (CaseResult("g", 0, False, 0.0, {}, trajectory=Trajectory(calls=(said,))), 1),
        "infrastructure": (
            CaseResult("g", 0, False, 0.0, {}, error="503", trajectory=Trajectory(calls=(said,))),
            0,
        ),
        "unchecked": (
            CaseResult("g", 0, False, 0.0, {}, checked=False, trajectory=Trajectory(calls=(said,))),
            0,
        ),
        "lost": (CaseResult("g", 0, False, 0.0, {}), 0),
    }
    assert {why: len(cases_of_result(Voter("a"), result)) for why, (result, _) in results.items()} == {
        why: votes for why, (_, votes) in results.items()
    }


def test_analyze_reads_the_same_votes(bank: Path) -> None:
    rc.run_suite(bank)
    with open_store(None) as store:
        analysis = analyze_run(store)
    assert analysis.failed == 1 and analysis.goldens == 3


def test_dataset_check_finds_what_needs_no_run(tmp_path: Path) -> None:
    tool = {"name": "alarm", "description": "Sets an alarm.", "input_schema": {"type": "object", "properties": {
        "minutes": {"type": "integer"}, "tone": {"type": "string", "description": "Tone. Default is 'bell'."}}, "required": ["minutes"]}}  # fmt: skip
    rows = [
        {"id": "a", "input": "Wake me.", "expected_calls": [{"tool": "alarm", "args": {"minutes": 5, "tone": "bell"}}]},
        {"id": "b", "input": "Wake me up.", "expected_calls": [{"tool": "alarm", "args": {"minutes": {"one_of": ["x", "y"]}}}]},
    ]  # fmt: skip
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    words = [str(tmp_path / "goldens.jsonl"), "--tools", str(tmp_path / "tools.json"), "--json"]
    found = json.loads(CliRunner().invoke(dataset_check, words).output)["findings"]
    assert [(f["golden_id"], f["severity"], f["code"]) for f in found] == [
        ("b", "error", "invalid_value"), ("a", "warning", "default_demanded"),
    ]  # fmt: skip


ALARM = Tool(
    "alarm",
    "Sets an alarm in minutes.",
    {"type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]},
)


def alarm_golden(name: str, said: int, minutes: int) -> Golden:
    expected = ExpectedCall("alarm", {"minutes": minutes})
    return Golden(f"Alarm in {said} minutes", id=name, expected_calls=[expected])


ALARMS = [alarm_golden(f"g{n}", n, n) for n in range(30, 39)] + [alarm_golden("wrong", 20, 21)]


def alarm_results(right: int, sets_for_wrong: int = 20) -> list[CaseResult]:
    """Three trials of an agent that makes the first `right` calls, and sets this many minutes for the wrong golden."""

    def result(one: Golden, number: int, trial: int) -> CaseResult:
        minutes = sets_for_wrong if one.id == "wrong" else int(one.id.removeprefix("g"))
        called = one.id == "wrong" or number < right
        done = Trajectory(calls=[ToolCall("alarm", {"minutes": minutes})] if called else [])
        return msgspec.structs.replace(result_of(one, trial, done, {ALARM.name: ALARM}), trajectory=done)

    return [result(one, n, trial) for n, one in enumerate(ALARMS) for trial in range(3)]


@pytest.mark.parametrize(("right", "suspects"), [(8, ["wrong"]), (1, [])])
def test_an_agent_that_passes_less_than_half_contradicts_no_golden(right: int, suspects: list[str]) -> None:
    found = analyze_results([ALARM], ALARMS, alarm_results(right)).findings
    stated = [f for f in found if f.cause == "golden_looks_wrong"]
    assert [name for finding in stated for name in finding.goldens] == suspects


def test_a_model_that_passes_a_golden_is_not_among_those_that_contradict_it() -> None:
    others = {"agrees": alarm_results(9), "passes": alarm_results(9, sets_for_wrong=21)}
    found = analyze_results([ALARM], ALARMS, alarm_results(8), others=others).findings
    (finding,) = (f for f in found if f.cause == "golden_looks_wrong")
    assert finding.what == "1 golden is contradicted by what agents do in most trials"
    assert finding.advice.startswith("2 models contradict wrong.")
