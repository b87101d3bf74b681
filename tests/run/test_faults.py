"""A suite with injected faults, compared with its fault-free control."""

import json
import subprocess
import sys

import pytest

ACCOUNTS = {"accounts": {"a1": {"owner": "Ann", "balance": 900}, "b1": {"owner": "Bob", "balance": 0}}}
PAY = {"name": "pay", "arguments": {"target": "b1", "cents": 500}}


@pytest.fixture
def folder(tmp_path):
    """A bank whose `pay` is plain and whose `pay_once` is idempotent, and an agent that retries blindly."""
    (tmp_path / "shop.py").write_text(
        """
from rightcall import tool
from rightcall.tools.worlds.base import World

class Shop(World):
    name = "shop"

    @classmethod
    def initial(cls):
        return {"paid": []}

    @tool(destructive=True)
    def pay(self, target: str, cents: int) -> dict:
        '''Pay somebody.'''
        self.data["paid"].append([target, cents])
        return {"paid": cents}

    @tool(destructive=True, idempotency="args")
    def pay_once(self, target: str, cents: int) -> dict:
        '''Pay somebody, at most once.'''
        self.data["paid"].append([target, cents])
        return {"paid": cents}

tools = [Shop()]
"""
    )
    (tmp_path / "faults.yaml").write_text(
        "faults:\n- {type: timeout_after_effect, tool: [pay, pay_once], nth: 1}\n- {type: empty, tool: pay, nth: 9}\n"
    )
    return tmp_path


def run_with_faults(folder, tool):
    call = {"name": tool, "arguments": PAY["arguments"]}
    script = {
        "replies": [{"golden": "g", "turns": [{"calls": [call]}, {"calls": [call]}, {"text": "Paid."}]}]
    }
    suite = {
        "name": "shop",
        "tools": "shop:tools",
        "dataset": "goldens.jsonl",
        "agent": {"model": "scripted:script.json", "mode": "loop"},
        "metrics": ["double_effects"],
    }
    expected = {"tool": tool, "args": PAY["arguments"], "min": 1, "max": 2}
    (folder / "goldens.jsonl").write_text(
        json.dumps({"id": "g", "input": "Pay Bob 5", "expected_calls": [expected]})
    )
    (folder / "script.json").write_text(json.dumps(script))
    (folder / "suite.json").write_text(json.dumps(suite))
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.json", "--faults", "faults.yaml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_blind_retry_after_a_lost_answer_pays_twice_and_is_said_so(folder):
    done = run_with_faults(folder, "pay")
    assert "double effects 1" in done.stdout, done.stderr
    assert "pay took effect 2 times for one request" in done.stdout
    assert done.returncode == 1


def test_the_same_agent_does_no_harm_when_the_tool_is_idempotent(folder):
    done = run_with_faults(folder, "pay_once")
    assert "double effects 0" in done.stdout, done.stderr
    assert "hit 1 of 1 trials" in done.stdout


def test_a_fault_that_never_fired_is_not_run_and_no_pass(folder):
    assert "not run 1:empty:pay: never fired" in run_with_faults(folder, "pay").stdout


def test_faults_without_a_loop_are_refused(folder):
    run_with_faults(folder, "pay")
    suite = json.loads((folder / "suite.json").read_text())
    suite["agent"]["mode"] = "single_turn"
    (folder / "suite.json").write_text(json.dumps(suite))
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.json", "--faults", "faults.yaml"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "agent.mode: loop" in done.stderr
