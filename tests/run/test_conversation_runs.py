"""Whole conversations through the runner: every door, kill and resume, budgets, users, reports."""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.cli.compare import compare
from rightcall.cli.run import run
from rightcall.cli.score import score
from rightcall.core.errors import ConfigError
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.providers.base import ModelReply
from rightcall.providers.scripted import ScriptedProvider, as_reply
from rightcall.records import ConversationalGolden, ExpectedCall, RecordedTrajectory, Turn, Usage
from rightcall.show.html import write_html
from rightcall.show.view.case import case_view
from rightcall.store.address import open_store
from rightcall.store.sql.results import export_lines
from rightcall.tools.worlds.bank import Bank

EXAMPLE = Path(__file__).parents[2] / "examples" / "banking-conversation"
ACCOUNTS = {"accounts": {"a1": {"owner": "An", "balance": 900}, "b1": {"owner": "Bob", "balance": 0}}}
BALANCE = ExpectedCall("get_balance", {"account": "a1"})
PAY = ExpectedCall("transfer", {"source": "a1", "target": "b1", "cents": 500}, extra_args="ignore")
GOLDENS = [
    ConversationalGolden(
        "Pay Bob", id=name, turns=(Turn("user", "Balance?", expected_calls=(BALANCE,)),
                                   Turn("user", "Pay Bob 5", expected_calls=(PAY,))),
        expected_state={"bank": {"accounts": {"a1": {"balance": 400}, "b1": {"balance": 500}},
                                 "transfers": [{"cents": 500}]}},
        output_contains=("900",),
    )
    for name in ("right", "wrong", "silent")
]  # fmt: skip
LOOK = {"name": "get_balance", "arguments": {"account": "a1"}}


def paying(cents):
    given = {"source": "a1", "target": "b1", "cents": cents, "idempotency_key": "k"}
    return {"name": "transfer", "arguments": given}


TURNS = {
    "right": [{"calls": [LOOK]}, {"text": "900 cents"}, {"calls": [paying(500)]}, {"text": "Paid."}],
    "wrong": [{"calls": [LOOK]}, {"text": "900 cents"}, {"calls": [paying(50)]}, {"text": "Paid."}],
    "silent": [{"text": "I do not know."}, {"calls": [paying(500)]}, {"text": "Paid."}],
}
SCRIPT = {"replies": [{"golden": name, "turns": turns} for name, turns in TURNS.items()]}


@pytest.fixture
def bank(tmp_path, monkeypatch):
    """A folder with a suite of three scripted conversations."""
    monkeypatch.chdir(tmp_path)
    save_goldens(GOLDENS, tmp_path / "goldens.jsonl")
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    suite = {
        "dataset": "goldens.jsonl",
        "agent": {"model": "scripted:script.json"},
        "worlds": {"bank": ACCOUNTS},
        "metrics": ["termination", "turns"],
    }
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    return tmp_path


def verdicts(results):
    return {
        r.golden_id: (r.passed, r.error, round(r.score, 9), sorted(f.code for f in r.codes)) for r in results
    }


def test_a_conversation_has_one_verdict_through_every_door(bank):
    done = CliRunner().invoke(run, ["suite.json", "--json"])
    assert done.exit_code == 1, done.output
    with open_store(".rightcall/rightcall.db") as store:
        by_run = list(store.runs.results("last", trajectories=True))
    agent = rc.Agent("scripted:script.json", [Bank(ACCOUNTS)])
    metrics = ["termination", "turns"]
    by_evaluate = rc.evaluate(agent, GOLDENS, metrics=metrics, store=bank / "e.db").results

    def asserted(golden):
        with contextlib.suppress(rc.errors.CheckFailed):
            return rc.assert_test(golden=golden, agent=agent, metrics=metrics)
        with pytest.raises(rc.errors.CheckFailed) as failed:
            rc.assert_test(golden=golden, agent=agent, metrics=metrics)
        return failed.value.result

    save_trajectories([RecordedTrajectory(r.golden_id, r.trajectory) for r in by_run], "done.jsonl")
    flags = [flag for name in metrics for flag in ("--metric", name)]
    scored = CliRunner().invoke(score, ["goldens.jsonl", "done.jsonl", *flags, "--json"])
    rows = map(json.loads, scored.stdout.splitlines())
    by_score = {
        row["golden_id"]: (row["passed"], "", round(row["score"], 9), sorted(c["code"] for c in row["codes"]))
        for row in rows
    }
    wanted = verdicts(by_run)
    assert {name: found[0] for name, found in wanted.items()} == {
        "right": True,
        "wrong": False,
        "silent": False,
    }
    assert verdicts(by_evaluate) == by_score == wanted
    assert verdicts(asserted(golden) for golden in GOLDENS) == wanted


def test_a_conversation_passes_with_perfect_dimensions_when_its_turns_do(bank):
    CliRunner().invoke(run, ["suite.json"])
    with open_store(".rightcall/rightcall.db") as store:
        (right,) = [result for result in store.runs.results("last") if result.golden_id == "right"]
    assert {name: score.value for name, score in right.metrics.items() if score.value < 1} == {}


# Kill and resume: the conversation is the unit, and a tool that acts for real acts once.

MODULE = """
import json, os, time
from pathlib import Path
from rightcall import ToolCall, tool
from rightcall.providers.scripted import ScriptedProvider

LOG = Path(__file__).parent / "effects.log"

def booked(key, arguments):
    lines = LOG.read_text().splitlines() if LOG.exists() else []
    done = f"{arguments['talk']} {arguments['step']}" in lines
    return {"booked": arguments["step"]} if done else None

@tool(destructive=True, idempotency="args", probe=booked)
def book(talk: str, step: int) -> dict:
    "Book one thing."
    with LOG.open("a") as file:
        file.write(f"{talk} {step}\\n")
    return {"booked": step}

async def answer(request):
    import asyncio
    await asyncio.sleep(0.01)
    if request.messages[-1].role == "tool":
        return "Booked."
    step = sum(message.role == "user" for message in request.messages)
    return ToolCall("book", {"talk": request.golden_id, "step": step})

model = ScriptedProvider(answer, "booker")
tools = [book]
"""


def booking(folder):
    (folder / "booker.py").write_text(MODULE)
    expected = [(ExpectedCall("book", {"talk": f"t{i}", "step": n}),) for i in range(12) for n in range(1, 6)]
    goldens = [
        ConversationalGolden("Book", id=f"t{i}", turns=tuple(
            Turn("user", f"Book {n}", expected_calls=expected[5 * i + n - 1]) for n in range(1, 6)))
        for i in range(12)
    ]  # fmt: skip
    save_goldens(goldens, folder / "goldens.jsonl")
    agent = {"model": "booker:model", "mode": "loop", "execute": "real"}
    suite = {"dataset": "goldens.jsonl", "tools": "booker:tools", "agent": agent, "concurrency": 3}
    (folder / "suite.json").write_text(json.dumps(suite))


@pytest.mark.stories
def test_killed_in_the_middle_of_conversations_no_turn_is_lost_or_doubled(tmp_path):
    booking(tmp_path)
    effects = tmp_path / "effects.log"
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.json"]
    end = time.monotonic() + 300
    for target in sorted(random.Random(15).sample(range(1, 55), 3)):  # of 60 effects
        process = subprocess.Popen(
            [*command, *(["--resume", "last"] if effects.exists() else [])],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while not (effects.exists() and len(effects.read_text().splitlines()) >= target):
            assert time.monotonic() < end and process.poll() is None, process.communicate()
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    done = subprocess.run(
        [*command, "--resume", "last"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = effects.read_text().splitlines()
    assert sorted(lines) == sorted(f"t{i} {n}" for i in range(12) for n in range(1, 6))
    with open_store(tmp_path / ".rightcall/rightcall.db") as store:
        held = {r.golden_id: [m.content for m in r.trajectory.messages if m.role == "user"]
                for r in store.runs.results("last", trajectories=True)}  # fmt: skip
    assert held == {f"t{i}": [f"Book {n}" for n in range(1, 6)] for i in range(12)}


# Simulated users are run by the runner: clusters, budgets, fingerprints.

TALKS = [ConversationalGolden(f"Ask about thing {name}", id=name, max_calls=9) for name in ("a", "b")]


def thrifty(request):
    return ModelReply(as_reply("Ask me").message, Usage(10, 10, 0.01))


def ends_at_once(request):
    return ModelReply(as_reply("###STOP###" if request.turn else "Hello").message, Usage(3, 2, 0.5))


def held(tmp_path, user=ends_at_once, **options):
    users = UserSetup(ScriptedProvider(user, options.pop("name", "scripted:user")))
    agent = rc.Agent(ScriptedProvider(thrifty))
    return rc.evaluate(agent, TALKS, user=users, store=tmp_path / "s.db", **options)


def test_each_manner_is_a_conversation_and_the_scenario_their_cluster(tmp_path):
    done = held(tmp_path, trials=2)
    results = list(done.results)
    assert sorted({r.golden_id for r in results}) == ["a@plain", "a@unsure", "b@plain", "b@unsure"]
    assert {golden.cluster for golden in done.store.runs.goldens(done.id)} == {"a", "b"}
    assert done.summary.overall.rate.goldens == 4 and done.summary.pass_k == (1.0, 1.0)


def test_a_dry_run_counts_every_possible_turn_and_says_so(bank):
    goldens = [
        *GOLDENS,
        ConversationalGolden("Ask", id="ask"),
        ConversationalGolden("Go", id="go", max_turns=3),
    ]
    save_goldens(goldens, "goldens.jsonl")
    suite = json.loads(Path("suite.json").read_text(encoding="utf-8")) | {"trials": 2}
    user = {"model": "scripted:script.json", "personas": ["plain"], "max_turns": 7}
    Path("suite.json").write_text(json.dumps(suite | {"user": user}), encoding="utf-8")
    told = CliRunner().invoke(run, ["suite.json", "--dry-run"]).output
    turns = 2 * (3 * 2 + 7 + 3)
    assert (
        f"10 conversations of up to {turns} turns in all, {2 * (8 + 4)} requests to simulated users" in told
    )
    assert f"{turns} requests (one per turn, another after each call)" in told


def test_what_the_simulated_user_spends_counts_for_the_case_and_the_budget(tmp_path):
    (first, *_) = held(tmp_path).results
    assert first.usage == Usage(16, 14, 1.01) and first.trajectory.usage.cost_usd == 0.01
    stopped = held(tmp_path, run_limits={"cost_usd": 1.5}, concurrency=1)
    assert stopped.verdict.word == "INCONCLUSIVE" and "spent of $1.5" in stopped.verdict.sentence


def test_results_do_not_depend_on_concurrency(tmp_path):
    one = held(tmp_path, concurrency=1, trials=3)
    many = held(tmp_path, concurrency=16, trials=3)
    exports = [
        b"".join(export_lines(done.store.runs.results(done.id, trajectories=True), timings=False)).replace(
            done.id.encode(), b"RUN"
        )
        for done in (one, many)
    ]
    assert exports[0] == exports[1]


def test_runs_with_different_simulators_are_compared_only_with_a_warning(tmp_path):
    first = held(tmp_path)
    second = held(tmp_path, name="scripted:another")
    line = [first.id, second.id, "--store", str(tmp_path / "s.db")]
    refused = CliRunner().invoke(compare, line)
    assert isinstance(refused.exception, ConfigError) and "differ in their simulator" in str(
        refused.exception
    )
    shown = CliRunner().invoke(compare, [*line, "--anyway"]).output
    assert "differ in their simulator" in " ".join(shown.split())


def test_a_simulators_fault_makes_an_error_and_never_a_verdict(tmp_path):
    done = held(tmp_path, user=lambda request: "###OUT-OF-SCOPE###")
    assert done.verdict.word == "ERROR" and done.summary.overall.cases == 0
    assert all("the simulated user failed" in result.error for result in done.results)


@pytest.mark.stories
def test_the_banking_example_runs_offline_and_its_transcripts_are_in_the_report(tmp_path):
    folder = tmp_path / "bank"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".rightcall", "__pycache__"))
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.yaml", "--faults", "faults.yaml"]
    careful = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert careful.returncode == 0 and careful.stdout.startswith("PASS  10 of 10 trials passed"), (
        careful.stdout + careful.stderr
    )
    careless = subprocess.run(
        [*command, "--model", "bank_agent:careless"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert careless.returncode == 1 and "double effects 6" in careless.stdout
    with open_store(folder / ".rightcall/rightcall.db") as store:
        out = io.BytesIO()
        view = write_html(store, "last", out)
        case = store.runs.case(store.runs.get("last").id, "balance-first")
        shown = case_view(case.golden, case.results[0])
    assert view.summary.pass_k == (0.4, 0.4) and b"passed by simulated user" in out.getvalue()
    assert [m.heading for m in shown.messages if m.heading] == ["turn 1", "turn 2"]
    assert [m.parts[0][0] for m in shown.messages if m.failing] == ["calls transfer"]
    assert [call.kind for call in shown.calls] == ["right", "right", "unexpected"]
    assert (shown.user, shown.ended) == ("script", "the script ended")


def test_the_goldens_of_the_example_are_what_its_page_says():
    assert [golden.is_simulated for golden in load_goldens(EXAMPLE / "goldens.jsonl")] == [True, True, False]
