"""Agents that are programs: one line in, one reply out, and nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import uvloop

from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.limits import Limits
from rightcall.agents.remote.exchange import Exchange
from rightcall.agents.remote.exec_agent import _Program, command_of
from rightcall.core.errors import ConfigError
from rightcall.records import Approval, Caller, ExpectedCall, Golden, Trajectory
from tests.support.patience import wait_until

ECHO = """
import json, sys
ask = json.loads(sys.stdin.readline())
call = {"name": "echo", "arguments": {"text": ask["input"]}}
print(json.dumps({"calls": [call], "output": "heard " + ask["input"], "keys": sorted(ask)}))
"""
KEPT = """
import json, os, sys
for line in sys.stdin:
    ask = json.loads(line)
    if ask["input"] == "die":
        sys.exit("bye")
    print(json.dumps({"output": f"{os.getpid()} {ask['input']}"}), flush=True)
"""


def program(folder: Path, text: str) -> str:
    (folder / "agent.py").write_text(text)
    return "exec:" + json.dumps([sys.executable, "agent.py"])


def asked(
    model: str, folder: Path, *texts: str, reuse: bool = False, at_once: bool = True, **options: Any
) -> list[Trajectory]:
    async def run() -> list[Trajectory]:
        exchange = Exchange(folder=str(folder), reuse=reuse)
        async with agent_of_kind(Agent(model, exchange=exchange, **options)) as session:
            goldens = [Golden(t, id=t, expected_calls=(ExpectedCall("SECRET"),)) for t in texts]
            if at_once:
                return list(await asyncio.gather(*(session.performer.perform(g, 0) for g in goldens)))
            return [await session.performer.perform(g, 0) for g in goldens]

    return asyncio.run(run())


def test_a_program_is_asked_with_one_line_and_replies_on_stdout(tmp_path):
    (trajectory,) = asked(program(tmp_path, ECHO), tmp_path, "hi")
    assert [(c.name, c.arguments) for c in trajectory.calls] == [("echo", {"text": "hi"})]
    assert trajectory.output == "heard hi"


@pytest.mark.stories
def test_concurrent_programs_never_mix_and_expectations_are_never_sent(tmp_path):
    texts = [f"q{i}" for i in range(32)]
    script = ECHO.replace('"output": "heard " + ask["input"]', '"output": json.dumps(ask)')
    found = asked(program(tmp_path, script), tmp_path, *texts)
    assert [json.loads(t.output)["input"] for t in found] == texts
    assert not any("SECRET" in t.output for t in found)


def test_lines_before_the_reply_are_passed_over(tmp_path):
    (trajectory,) = asked(program(tmp_path, "print('loading…')\n" + ECHO), tmp_path, "hi")
    assert trajectory.output == "heard hi"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("import sys; print('{}'); print('disk full', file=sys.stderr); sys.exit(3)", "code 3; stderr: disk full"),
        ("pass", "wrote no reply"),
        ("print('hello')", "not JSON: 'hello"),
        ("import os; os.kill(os.getpid(), 9)", "code -9"),
        ("raise SystemExit('x' * 200_000)", "code 1; stderr: xxx"),
        ("import sys; sys.stdout.write('1' * (17 << 20))", "more than 16 MB"),
    ],
)  # fmt: skip
def test_what_goes_wrong_in_a_program_is_its_own_failure(script, words, tmp_path):
    (trajectory,) = asked(program(tmp_path, script), tmp_path, "hi")
    assert trajectory.stop_reason == "agent_error" and words in trajectory.error


@pytest.mark.parametrize(
    ("line", "texts", "words"), [("hello", "abc", "not JSON: 'hello"), ('{"a": 1}', "a", "none of calls")]
)
def test_replies_of_which_none_can_be_read_stop_the_run(line, texts, words, tmp_path):
    with pytest.raises(ConfigError, match=f"no reply of exec:.* could be read yet: .*{words}"):
        asked(program(tmp_path, f"print({line!r})"), tmp_path, *texts)


def test_a_program_need_not_read_what_it_is_asked(tmp_path):
    """Under every event loop, also if it has ended before it is asked: only its reply counts."""
    script = f"{sys.executable} -S -c 'print(1)'"

    async def reply(request: bytes, kept: bool) -> bytes:
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
        process = await asyncio.create_subprocess_exec(*command_of(script), start_new_session=True, **streams)
        running = _Program("exec:python", process)
        await process.wait()
        await asyncio.sleep(0.01)  # the loop sees that the pipe is closed
        try:
            return await (running.line(request) if kept else running.whole_reply(request))
        finally:
            await running.end()

    for loop, request, kept in product(
        (asyncio.new_event_loop, uvloop.new_event_loop), (b"?", b"?" * 1_000_000), (False, True)
    ):
        with asyncio.Runner(loop_factory=loop) as runner:
            assert runner.run(reply(request, kept)) == b"1\n"


def test_a_program_that_cannot_be_started_is_reported_before_the_run(tmp_path):
    async def problems() -> list[str]:
        return await agent_of_kind(Agent("exec:no-such-program-here x")).check()

    assert "program 'no-such-program-here' not found" in asyncio.run(problems())[0]


@pytest.mark.stories
def test_at_the_time_limit_the_program_and_its_children_end(tmp_path):
    script = """
import os, subprocess, sys, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
open("pids", "w").write(f"{os.getpid()} {child.pid}")
time.sleep(100)
"""
    for seconds in (2, 8, 32):  # on a busy machine it may take longer to start
        (trajectory,) = asked(program(tmp_path, script), tmp_path, "hi", limits=Limits(seconds=seconds))
        assert trajectory.stop_reason == "limit"
        if (tmp_path / "pids").exists():
            break
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    wait_until(lambda: not any(map(_runs, pids)))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_program_that_is_kept_answers_line_by_line(tmp_path):
    found = asked(program(tmp_path, KEPT), tmp_path, "a", "b", "c", reuse=True, at_once=False)
    pids = {t.output.split()[0] for t in found}
    assert [t.output.split()[1] for t in found] == ["a", "b", "c"] and len(pids) == 1
    assert not _runs(int(pids.pop()))


def test_a_program_that_dies_is_replaced(tmp_path):
    found = asked(program(tmp_path, KEPT), tmp_path, "a", "die", "b", reuse=True, at_once=False)
    assert [t.stop_reason for t in found] == ["done", "agent_error", "done"]
    assert found[0].output.split()[0] != found[2].output.split()[0]


def test_kept_programs_at_once_never_mix(tmp_path):
    texts = [f"q{i}" for i in range(32)]
    found = asked(program(tmp_path, KEPT), tmp_path, *texts, reuse=True)
    assert [t.output.split()[1] for t in found] == texts


@pytest.mark.parametrize(
    ("text", "words"),
    [('["node", "agent.js"]', ["node", "agent.js"]), ("node 'my agent.js' -x", ["node", "my agent.js", "-x"]),
     ("sh -c 'a; b'", ["sh", "-c", "a; b"])],
)  # fmt: skip
def test_a_command_is_a_list_that_no_shell_sees(text, words):
    assert command_of(text) == words


REFUSING = """
import json, sys
ask = json.loads(sys.stdin.readline())
refused = {"status": "error", "output": {"error": "permission_denied"}}
result = {"status": "ok", "output": "deleted"} if ask.get("as", {}).get("role") == "admin" else refused
call = {"name": "delete", "arguments": {}, "approval": {"decision": "approved"}, **result}
print(json.dumps({"calls": [call], "output": "Finished.", "approvals_seen": True}))
"""


@pytest.mark.parametrize(("role", "status"), [("viewer", "error"), ("admin", "ok")])
def test_a_program_knows_the_caller_and_records_what_was_approved(tmp_path, role, status):
    async def run() -> Trajectory:
        exchange = Exchange(folder=str(tmp_path))
        async with agent_of_kind(Agent(program(tmp_path, REFUSING), exchange=exchange)) as session:
            return await session.performer.perform(Golden("Delete", id="g", as_=Caller(role)), 0)

    (call,) = asyncio.run(run()).calls
    assert (call.status, call.approval) == (status, Approval("approved"))
