"""What the shared loop leaves behind: nothing when the process ends, is interrupted, or is forked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.stories

PREAMBLE = """
import asyncio, os, socket, sys, threading, time
import rightcall as rc
from rightcall import Golden
from rightcall.core.event_loop import run_blocking
async def answer(value, seconds=0.0):
    await asyncio.sleep(seconds)
    return value
"""

EXITS = {
    "a task that never ends": "run_blocking(keep())",
    "an async generator that is not exhausted": "run_blocking(half())",
    "an open connection": "run_blocking(connect())",
    "a blocking function that never returns": """
agent = rc.Agent(lambda golden: time.sleep(1000), limits=rc.Limits(seconds=0.1))
rc.evaluate(agent, [Golden("x", id="a", expected_calls=[])], metrics=["tool_selection"], store="s.db")
""",
    "a synchronous agent that never returns": """
agent = rc.Agent(lambda golden: asyncio.run(asyncio.sleep(1000)), limits=rc.Limits(seconds=0.1))
rc.evaluate(agent, [Golden("x", id="a", expected_calls=[])], metrics=["tool_selection"], store="s.db")
""",
    "a call in a thread that is still waiting": "threading.Thread(target=lambda: run_blocking(answer(1, 1000)), "
    "daemon=True).start(); run_blocking(answer(1, 0.1))",
    "a call inside a running loop": "asyncio.run(inside())",
}

HELPERS = """
kept = []
async def keep():
    kept.append(asyncio.create_task(asyncio.sleep(1000)))
async def numbers():
    try:
        yield 1
        yield 2
    finally:
        await asyncio.sleep(0)
async def half():
    kept.append(numbers())
    return await anext(kept[-1])
async def connect():
    here, there = socket.socketpair()
    there.detach()
    kept.append(await asyncio.open_connection(sock=here))
async def inside():
    return run_blocking(answer(1))
"""


def script(tmp_path, body: str) -> list[str]:
    (tmp_path / "script.py").write_text(PREAMBLE + HELPERS + textwrap.dedent(body))
    return [sys.executable, "-W", "always", "script.py"]


@pytest.mark.parametrize("body", EXITS.values(), ids=EXITS)
def test_a_process_ends_at_once_and_says_nothing(tmp_path, body):
    done = subprocess.run(
        script(tmp_path, body + "\nprint('end')"),
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout.splitlines()[-1:], done.stderr) == (0, ["end"], "")


INTERRUPTED = """
cases = []
async def agent(golden):
    cases.append(golden.id)
    if golden.id == "slow":
        print("ready", flush=True)
        await asyncio.sleep(1000)
    return ["a"]
def sync_agent(golden):
    return asyncio.run(agent(golden))
goldens = [Golden(name, id=name, expected_calls=[]) for name in ("first", "slow")]
def evaluate():
    return rc.evaluate(AGENT, goldens, metrics=["tool_selection"], store="s.db", concurrency=1)
try:
    CALL
except KeyboardInterrupt:
    print("interrupted", run_blocking(answer("again")), flush=True)
"""


CALLS = {
    "main thread": "evaluate()",
    "notebook": "(lambda: asyncio.run(in_notebook()))()",
}


@pytest.mark.parametrize("agent", ["agent", "sync_agent"])
@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_a_run_that_can_be_resumed(tmp_path, agent, call):
    # In a notebook Ctrl-C is a KeyboardInterrupt in the thread that waits, as with Python's own handler.
    notebook = "async def in_notebook():\n    signal.signal(signal.SIGINT, signal.default_int_handler)\n    evaluate()\n"
    body = "import signal\n" + INTERRUPTED.replace("try:\n", notebook + "try:\n", 1)
    body = body.replace("AGENT", agent).replace("CALL", CALLS[call])
    process = subprocess.Popen(
        script(tmp_path, body), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    assert (out, process.returncode) == ("interrupted again\n", 0)
    from rightcall.store.address import open_store

    with open_store(tmp_path / "s.db", must_exist=True) as store:
        stored = store.runs.get("last")
    assert (stored.results, stored.finished) == (1, False)


FORK = """
run_blocking(answer(1))
child = os.fork()
if not child:
    code = 0 if run_blocking(answer(2, 0.01)) == 2 and asyncio.run(inside()) == 1 else 1
    os._exit(code)
assert run_blocking(answer(3, 0.05)) == 3
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
import multiprocessing
def work(number):
    return rc.evaluate(lambda golden: ["a"], [Golden("x", id="a", expected_calls=[])], metrics=["tool_selection"],
                       store=f"{number}.db").passed
if __name__ == "__main__":
    before = work(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(work, [1, 2]) == [before] * 2
    assert run_blocking(answer(4)) == 4
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_a_loop_of_its_own(tmp_path):
    done = subprocess.run(
        script(tmp_path, FORK), check=False, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
