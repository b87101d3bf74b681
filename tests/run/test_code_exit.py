"""Code under test that tries to end the process fails one case; it never ends the run, and never with exit code 0."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rightcall as rc
from rightcall.cli.main import main
from rightcall.providers.base import ModelRequest
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden

GOLDENS = [
    Golden(id=f"g{number}", input="mail", expected_calls=(ExpectedCall("send"),)) for number in range(3)
]


class OddExit(BaseException):
    """Neither an `Exception` nor one of Python's own."""


ENDS: dict[str, Callable[[], BaseException]] = {
    "sys.exit(0)": lambda: SystemExit(0),
    "sys.exit()": SystemExit,
    "os-like": OddExit,
    "a group": lambda: BaseExceptionGroup("several", [SystemExit(0)]),
    "its own cancellation": asyncio.CancelledError,
}


def raising(end: Callable[[], BaseException]) -> dict[str, Callable[..., Any]]:
    def agent(golden: Golden) -> str:
        raise end()

    async def async_agent(golden: Golden) -> str:
        raise end()

    def later(golden: Golden) -> Any:
        return async_agent(golden)

    def turn(input: str, history: list[Any]) -> str:
        raise end()

    async def async_turn(input: str, history: list[Any]) -> str:
        raise end()

    return {"sync": agent, "async": async_agent, "awaitable": later, "turn": turn, "async turn": async_turn}


@pytest.mark.parametrize("kind", raising(SystemExit))
@pytest.mark.parametrize("end", ENDS)
def test_an_agent_that_ends_the_process_fails_its_cases_alone(end, kind, tmp_path):
    found = rc.evaluate(raising(ENDS[end])[kind], GOLDENS, store=tmp_path / "r.db", progress=False)
    assert len(found.results) == 3
    assert found.verdict.word != "PASS"


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("end", ENDS)
def test_a_tool_that_ends_the_process_is_answered_like_any_that_broke(end, is_async, tmp_path):
    sent: list[str] = []

    def send() -> str:
        """Send a mail."""
        sent.append("mail")
        raise ENDS[end]()

    async def send_async() -> str:
        """Send a mail."""
        return send()

    def script(request: ModelRequest) -> Any:
        return "sent" if request.messages[-1].role == "tool" else ToolCall("send", {})

    agent = rc.Agent(
        ScriptedProvider(script),
        tools=[rc.tool(destructive=True, name="send")(send_async if is_async else send)],
        mode="loop",
        execute="real",
    )
    found = rc.evaluate(agent, GOLDENS, store=tmp_path / "r.db", progress=False)
    assert len(found.results) == len(sent) == 3


def test_a_task_of_the_agent_that_exits_is_no_success_of_the_command(tmp_path: Path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exiting_agent.py").write_text(
        "import asyncio, sys\n"
        "async def run(golden):\n"
        "    async def inner(): sys.exit(0)\n"
        "    await asyncio.create_task(inner())\n"
    )
    (tmp_path / "goldens.jsonl").write_text('{"id": "a", "input": "hello", "no_calls": true}\n')
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "exiting_agent:run"}}
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    monkeypatch.setattr(sys, "argv", ["rightcall", "run", "suite.json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 4
    assert "called sys.exit(0)" in capfd.readouterr().err


def test_an_agent_that_ends_the_process_is_no_success_of_the_command(tmp_path: Path):
    (tmp_path / "ending_agent.py").write_text("import os\ndef run(golden): os._exit(0)\n")
    (tmp_path / "goldens.jsonl").write_text('{"id": "a", "input": "hello", "no_calls": true}\n')
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "ending_agent:run"}}
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    command = [sys.executable, "-m", "rightcall", "run", "suite.json"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 4 and "called os._exit(0)" in ended.stderr
