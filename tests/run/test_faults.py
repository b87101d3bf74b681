"""A suite with injected faults, compared with its fault-free control."""

import json

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


def run_with_faults(rightcall, folder, tool, mode="loop"):
    call = {"name": tool, "arguments": PAY["arguments"]}
    script = {
        "replies": [{"golden": "g", "turns": [{"calls": [call]}, {"calls": [call]}, {"text": "Paid."}]}]
    }
    suite = {
        "name": "shop",
        "tools": "shop:tools",
        "dataset": "goldens.jsonl",
        "agent": {"model": "scripted:script.json", "mode": mode},
        "metrics": ["double_effects"],
    }
    expected = {"tool": tool, "args": PAY["arguments"], "min": 1, "max": 2}
    (folder / "goldens.jsonl").write_text(
        json.dumps({"id": "g", "input": "Pay Bob 5", "expected_calls": [expected]})
    )
    (folder / "script.json").write_text(json.dumps(script))
    (folder / "suite.json").write_text(json.dumps(suite))
    return rightcall("run", "suite.json", "--faults", "faults.yaml")


def test_a_blind_retry_after_a_lost_answer_pays_twice_and_is_said_so(rightcall, folder):
    done = run_with_faults(rightcall, folder, "pay")
    assert "double effects 1" in done.out, done.err
    assert "pay took effect 2 times for one request" in done.out
    assert done.code == 1


def test_the_same_agent_does_no_harm_when_the_tool_is_idempotent(rightcall, folder):
    done = run_with_faults(rightcall, folder, "pay_once")
    assert "double effects 0" in done.out, done.err
    assert "hit 1 of 1 trials" in done.out


def test_a_fault_that_never_fired_is_not_run_and_no_pass(rightcall, folder):
    assert "not run 1:empty:pay: never fired" in run_with_faults(rightcall, folder, "pay").out


def test_faults_without_a_loop_are_refused(rightcall, folder):
    done = run_with_faults(rightcall, folder, "pay", mode="single_turn")
    assert done.code == 2 and "agent.mode: loop" in done.err


def test_what_faults_cannot_reach_is_said_before_the_control_runs(rightcall, folder):
    (folder / "own.py").write_text(
        "def answer(question: str) -> str:\n    open('ran', 'w')\n    return 'done'\n"
    )
    (folder / "suite.yaml").write_text(
        "dataset: goldens.jsonl\nagent: {model: 'own:answer', observe: openai}\ntools: []\n"
    )
    (folder / "goldens.jsonl").write_text(json.dumps({"id": "g", "input": "Hi", "no_calls": True}))
    (folder / "faults.yaml").write_text("faults:\n  - {type: timeout_after_effect, tool: pay}\n")
    done = rightcall("run", "suite.yaml", "--faults", "faults.yaml")
    assert done.code == 2 and "run by its own code" in done.err
    assert not (folder / "ran").exists()
