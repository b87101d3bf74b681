"""A scenario is played by every simulated user and has one verdict, through whichever door it comes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.run import run
from rightcall.cli.score import score
from rightcall.core.errors import ConfigError, InputError
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.deepeval.simulator import ConversationSimulator
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import ConversationalGolden, ExpectedCall, RecordedTrajectory
from rightcall.records.golden_id import conversation_recorded_as, with_persona
from rightcall.store.address import open_store

TOOL = {"name": "refund", "description": "Refund an order.", "input_schema": {"type": "object"}}
GOLDEN = ConversationalGolden("Get a refund", id="refund", expected_calls=(ExpectedCall("refund"),))
CALL = {"calls": [{"name": "refund", "arguments": {}}]}
SCRIPT = {
    "replies": [
        {"golden": "refund@plain#user", "turns": [{"text": "Refund me, please."}, {"text": "###STOP###"}]},
        {"golden": "refund@unsure#user", "turns": [{"text": "my money"}, {"text": "###STOP###"}]},
        {"golden": "refund@plain", "turns": [CALL, {"text": "Done."}]},
        {"golden": "refund@unsure", "turns": [{"text": "I am sorry."}]},
    ]
}
TEST = """
import json, pytest, rightcall as rc

@pytest.mark.goldens("goldens.jsonl")
def test_refund(golden, check):
    check(rc.Agent("scripted:script.json", rc.load_tools("tools.json"), mode="loop"), golden, user="scripted:script.json")
"""
SUITE = {
    "dataset": "goldens.jsonl",
    "agent": {"model": "scripted:script.json", "mode": "loop"},
    "tools": "tools.json",
    "user": {"model": "scripted:script.json"},
}
EXPECTED = {"refund@plain": (True, ("refund",)), "refund@unsure": (False, ())}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_goldens([GOLDEN], "goldens.jsonl")
    for name, content in {"script": SCRIPT, "tools": [TOOL], "suite": SUITE}.items():
        Path(f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


def agent():
    return rc.Agent("scripted:script.json", rc.load_tools("tools.json"), mode="loop")


def said(results):
    return {
        r.golden_id: (r.passed, tuple(c.name for c in r.trajectory.calls)) for r in results if not r.error
    }


def stored():
    with open_store(".rightcall/rightcall.db") as store:
        return list(store.runs.results("last", trajectories=True))


def by_run():
    assert CliRunner().invoke(run, ["suite.json"]).exit_code == 1
    return said(stored())


def by_evaluate():
    return said(rc.evaluate(agent(), [GOLDEN], user="scripted:script.json").results)


def by_assert_test():
    with pytest.raises(
        rc.errors.CheckFailed, match=r"\(refund@unsure; 1 of 2 conversations failed\)"
    ) as failed:
        rc.assert_test(golden=GOLDEN, agent=agent(), user="scripted:script.json")
    assert failed.value.result.golden_id == "refund@unsure"
    return said(failed.value.results)


def by_check():
    Path("test_refund.py").write_text(TEST, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "test_refund.py",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        ".",
    ]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "1 of 2 conversations failed" in done.stdout, done.stdout + done.stderr
    return said(stored())


def by_score_of_the_recording():
    by_run()
    recorded = {r.golden_id: r.trajectory for r in stored()}
    save_trajectories([RecordedTrajectory(name, made) for name, made in recorded.items()], "done.jsonl")
    scored = CliRunner().invoke(score, ["goldens.jsonl", "done.jsonl", "--json"])
    rows = map(json.loads, scored.stdout.splitlines())
    return {
        row["golden_id"]: (row["passed"], tuple(call.name for call in recorded[row["golden_id"]].calls))
        for row in rows
    }


def by_simulator_and_evaluate():
    def clerk(input, thread_id):
        return [rc.ToolCall("refund", {})] if "please" in input else "I am sorry."

    simulator = ConversationSimulator(clerk, simulator_model="scripted:script.json")
    return said(rc.score_cases(simulator.simulate([GOLDEN])).results)


@pytest.mark.stories
@pytest.mark.parametrize(
    "door",
    [by_run, by_evaluate, by_assert_test, by_check, by_score_of_the_recording, by_simulator_and_evaluate],
)
def test_every_door_plays_every_simulated_user_and_says_the_same(door):
    assert door() == EXPECTED


def test_one_verdict_also_when_all_users_are_served():
    replies = [reply for reply in SCRIPT["replies"] if reply["golden"] != "refund@unsure"]
    Path("script.json").write_text(
        json.dumps({"replies": [*replies, {"golden": "refund@unsure", "turns": [CALL, {"text": "Done."}]}]}),
        encoding="utf-8",
    )
    assert rc.assert_test(golden=GOLDEN, agent=agent(), user="scripted:script.json").passed
    assert rc.evaluate(agent(), [GOLDEN], user="scripted:script.json").passed


def test_a_recorded_conversation_belongs_to_its_scenario_and_to_nothing_else():
    assert conversation_recorded_as(GOLDEN, "refund@plain") == with_persona(GOLDEN, "plain")
    scripted = ConversationalGolden("Talk", id="refund", simulate=False)
    assert [conversation_recorded_as(g, name) for g, name in ((GOLDEN, "refund@"), (GOLDEN, "other@plain"), (scripted, "refund@p"))] \
        == [None] * 3  # fmt: skip
    Path("done.jsonl").write_text('{"golden_id": "other@plain", "calls": []}\n', encoding="utf-8")
    with pytest.raises(InputError, match="golden_id 'other@plain' is not in"):
        list(rc.score("goldens.jsonl", "done.jsonl"))


def test_test_cases_of_different_simulators_are_compared_only_with_a_warning():
    def simulated(name):
        user = ScriptedProvider(lambda request: "###STOP###" if request.turn else "Hello", name)
        cases = ConversationSimulator(lambda input: "Hi", simulator_model=user).simulate([GOLDEN])
        return rc.score_cases(cases)

    first = simulated("scripted:one")
    second = simulated("scripted:two")
    with pytest.raises(ConfigError, match="differ in their simulator"):
        rc.compare(first.id, second.id)
    assert rc.compare(first.id, simulated("scripted:one").id)
