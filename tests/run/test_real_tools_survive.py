"""Tools that run for real, in runs that are killed: every mail goes out once."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.records import Golden, ToolCall, Trajectory
from rightcall.store.address import open_store
from rightcall.tools.faults.plan import read_plan
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import run_keys, sqlite_store
from rightcall.tools.runtime.context import VirtualClock, effects
from rightcall.tools.runtime.toolbox import Toolbox
from tests.support.postgres import postgres_server

pytestmark = pytest.mark.stories

MAILS = 12
TOOLS = '''
import time
from pathlib import Path
from rightcall import tool

def send(to: str) -> dict:
    """Send a mail."""
    with Path("mails.txt").open("a") as mails:
        mails.write(f"{to}\\n")
    time.sleep(0.1)
    return {"sent": to}

@tool(destructive=True, idempotency="key")
def send_mail(to: str) -> dict:
    """Send a mail."""
    return send(to)

@tool(destructive=True, name="send_mail")
def send_keyless(to: str) -> dict:
    """Send a mail."""
    return send(to)

@tool(destructive=True, name="send_mail")
async def send_async(to: str) -> dict:
    """Send a mail."""
    import asyncio
    return await asyncio.to_thread(send, to)
'''
SERVER = """
from mcp.server import MCPServer
import mail_tools
server = MCPServer("mail")
server.tool(name="send_mail")(mail_tools.send)
server.run()
"""
KINDS = {
    "keyed": "mail_tools:send_mail",
    "keyless": "mail_tools:send_keyless",
    "keyless async": "mail_tools:send_async",
    "mcp": {"mcp": {"command": [sys.executable, "mail_server.py"]}},
}


def write_suite(folder: Path, kind: str = "keyed") -> None:
    (folder / "mail_tools.py").write_text(TOOLS)
    (folder / "mail_server.py").write_text(SERVER)
    key = {"idempotency_key": "k"} if kind == "keyed" else {}
    goldens = []
    replies = []
    for number in range(MAILS):
        call = {"name": "send_mail", "arguments": {"to": f"m{number}", **key}}
        goldens.append(
            {"id": f"g{number}", "input": f"mail m{number}", "expected_calls": [{"tool": "send_mail"}]}
        )
        replies.append({"golden": f"g{number}", "turns": [{"calls": [call]}, {"text": "done"}]})
    suite = {
        "tools": KINDS[kind],
        "dataset": "goldens.jsonl",
        "concurrency": 4,
        "agent": {"model": "scripted:script.json", "mode": "loop", "execute": "real"},
    }
    (folder / "goldens.jsonl").write_text("\n".join(json.dumps(golden) for golden in goldens))
    (folder / "script.json").write_text(json.dumps({"replies": replies}))
    (folder / "suite.json").write_text(json.dumps(suite))


def run(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.json", *options]
    environment = {"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def mails(folder: Path) -> list[str]:
    path = folder / "mails.txt"
    return path.read_text().splitlines() if path.exists() else []


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres_server() as url:
        yield url


QUICK = (("sqlite", "keyed"),)
"""The others are killed in `make nightly`."""


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        pytest.param(where, kind, marks=() if (where, kind) in QUICK else pytest.mark.nightly)
        for where, kind in [
            *(("sqlite", kind) for kind in KINDS),
            ("postgres", "keyed"),
            ("postgres", "keyless"),
        ]
    ],
)
def test_a_run_that_is_killed_and_resumed_sends_every_mail_once(tmp_path, where, kind, request):
    write_suite(tmp_path, kind)
    in_file = str(tmp_path / "results.db")
    store = ("--store", request.getfixturevalue("postgres_url") if where == "postgres" else in_file)
    drawn = random.Random(11)
    for attempt in range(3):
        process = run(tmp_path, *store, *(("--resume", "last") if attempt else ()))
        before = len(mails(tmp_path))
        while len(mails(tmp_path)) < before + 2 and process.poll() is None:
            time.sleep(0.005)
        time.sleep(drawn.random() / 20)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    out, _ = run(tmp_path, *store, "--resume", "last").communicate(timeout=300)
    sent = mails(tmp_path)
    assert len(sent) == len(set(sent)) > 0, out
    with open_store(store[1]) as opened:
        results = list(opened.runs.results("last", trajectories=True))
    assert len(results) == MAILS
    for case in results:
        known = len(effects(case.trajectory.ledger))
        really = sent.count(case.golden_id.replace("g", "m"))
        told = case.trajectory.calls[0].output
        assert known == really or told["effect"] == "unknown", told


def test_equal_calls_of_one_trial_are_all_run_when_the_tool_takes_no_key(tmp_path):
    write_suite(tmp_path, "keyless")
    call = {"name": "send_mail", "arguments": {"to": "m"}}
    replies = [
        {"golden": f"g{n}", "turns": [{"calls": [call, call]}, {"calls": [call]}, {"text": "done"}]}
        for n in range(MAILS)
    ]
    (tmp_path / "script.json").write_text(json.dumps({"replies": replies}))
    run(tmp_path).communicate(timeout=300)
    assert mails(tmp_path) == ["m"] * 3 * MAILS


def test_another_run_has_its_own_keys_next_to_the_results_for_their_owner_alone(tmp_path):
    write_suite(tmp_path)
    for _ in range(2):
        run(tmp_path, "--store", "results.db").communicate(timeout=300)
    keys = tmp_path / "results.keys.db"
    assert len(mails(tmp_path)) == 2 * MAILS and keys.stat().st_mode & 0o077 == 0


def test_a_tool_of_an_observed_agent_under_faults_is_not_repeated_when_its_trial_is(tmp_path):
    """As after a kill: another session, the same run, golden and trial."""
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai.models.test import TestModel

    sent: list[str] = []

    def send_mail(to: str) -> str:
        """Send a mail."""
        sent.append(to)
        return "sent"

    slow = read_plan({"faults": [{"tool": "send_mail", "type": "slow"}]}, "faults")

    async def trial() -> Trajectory:
        observed = rc.observe(PydanticAgent(TestModel(), tools=[send_mail]))
        async with agent_of_kind(Agent(observed, faults=slow)) as session:
            session.begin("run-1", lambda: run_keys(tmp_path / "results.db"))
            return await session.performer.perform(Golden(id="g", input="mail"), 0)

    first = asyncio.run(trial())
    again = asyncio.run(trial())
    assert len(sent) == 1 and first.calls[0].output == "sent" and "sent" in str(again.calls[0].output)


def test_keys_of_a_run_with_a_simulated_clock_last_as_long_as_others(tmp_path):
    keys = run_keys(tmp_path / "results.db")
    tool = rc.tool(destructive=True)(_send)
    box = Toolbox(
        [tool], execute="real", idempotency=Idempotency(sqlite_store(), live=keys), clock=VirtualClock()
    )
    asyncio.run(box.invoke(ToolCall("_send", {}), box.context(run="r", task="g")))
    assert keys.store.prune(time.time() + 300 * 24 * 3600) == 0


def _send() -> str:
    """Send a mail."""
    return "sent"


def test_a_replay_does_not_repeat_what_a_destructive_tool_did(tmp_path):
    write_suite(tmp_path)
    run(tmp_path, "--record", "auto").communicate()
    assert len(mails(tmp_path)) == MAILS
    said, _ = (replay := run(tmp_path, "--record", "replay")).communicate()
    assert (replay.returncode, len(mails(tmp_path))) == (0, MAILS), said
