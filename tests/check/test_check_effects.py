"""Trials of a check that may have acted: none is repeated, and calls whose outcome is unknown are counted."""

from __future__ import annotations

import json
import sys

import pytest

from rightcall.cli.main import main
from rightcall.store.address import open_store
from tests.support.dying_tools import served

GOLDENS = 24
TOOLS = '''
from pathlib import Path
from rightcall import tool

@tool(destructive=True)
def pay(to: str) -> str:
    """Pay someone."""
    with Path("world").open("a") as world:
        world.write(f"{to}\\n")
    if to == "g3" and Path("broken").exists():
        raise ConnectionResetError("the other end is gone")
    return "paid"
'''


def rightcall(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["rightcall", *words, "--store", "r.db"])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code or 0


def write_suite(folder, system="", **fields):
    names = [f"g{number}" for number in range(GOLDENS)]
    goldens = [{"id": name, "input": f"pay {name}", "expected_calls": [{"tool": "pay"}]} for name in names]
    replies = [
        {"golden": name, "turns": [{"calls": [{"name": "pay", "arguments": {"to": name}}]}, {"text": "done"}]}
        for name in names
    ]
    (folder / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
    (folder / "script.json").write_text(json.dumps({"replies": replies}))
    (folder / "fragile_payments.py").write_text(TOOLS)
    agent = {**fields.pop("agent"), **({"system": system} if system else {})}
    suite = {"name": "pay", "dataset": "goldens.jsonl", "trials": 2, "agent": agent, **fields}
    (folder / "suite.json").write_text(json.dumps(suite))


def checked(folder, monkeypatch, **fields):
    """The exit code of a check after a change of the prompt, its sentence, and the effects of g3, which breaks."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    write_suite(folder, **fields)
    assert rightcall(monkeypatch, "run", "suite.json", "--trust") == 0
    write_suite(folder, system="Be brief.", **fields)
    (folder / "world").unlink()
    (folder / "broken").touch()
    code = rightcall(
        monkeypatch, "check", "suite.json", "--full", "--trust", "--baseline", "last", "-o", "check.json"
    )
    report = json.loads((folder / "check.json").read_text())
    return code, report, (folder / "world").read_text().split().count("g3")


def test_a_tool_that_loses_its_connection_is_called_once_a_trial_and_counted(tmp_path, monkeypatch):
    agent = {"model": "scripted:script.json", "mode": "loop", "execute": "real"}
    code, report, effects = checked(tmp_path, monkeypatch, agent=agent, tools="fragile_payments:pay")
    with open_store(tmp_path / "r.db") as store:
        trials = sum(result.golden_id == "g3" for result in store.runs.results("last"))
    assert 1 <= effects == trials, report
    assert f"; {effects} call{'s' * (effects > 1)}: outcome unknown" in report["reason"]
    assert code != 0 or report["verdict"] == "PASS"


def test_a_service_that_drops_the_connection_is_asked_once_a_trial(tmp_path, monkeypatch):
    from aiohttp import web

    async def handle(request: web.Request) -> web.StreamResponse:
        name = (await request.json())["input"].split()[-1]
        with (tmp_path / "world").open("a") as world:
            world.write(f"{name}\n")
        if name == "g3" and (tmp_path / "broken").exists():
            request.transport.close()
        return web.json_response({"calls": [{"name": "pay", "arguments": {"to": name}}], "output": "done"})

    with served(handle) as url:
        tools = [{"name": "pay", "description": "Pay someone.", "input_schema": {"type": "object"}}]
        _, report, effects = checked(tmp_path, monkeypatch, agent={"model": f"http:{url}"}, tools=tools)
    with open_store(tmp_path / "r.db") as store:
        trials = sum(result.golden_id == "g3" for result in store.runs.results("last"))
    assert 1 <= effects == trials, report
