"""Conversations with agents behind an address or a command: one session per trial, each turn knows the earlier ones."""

from __future__ import annotations

import json
import sys

import pytest

import rightcall as rc
from rightcall.agents.remote.exchange import Exchange
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import ConversationalGolden, ExpectedCall, Turn
from tests.providers.test_http_agent import service

TALKS = [
    ConversationalGolden(
        "Remember",
        id=name,
        turns=tuple(
            Turn("user", f"word {at}{name}", expected_calls=(
                ExpectedCall("keep", {"words": [f"word {n}{name}" for n in range(at + 1)], "session": {"any": True}}),
            )) for at in range(3)
        ),
    )
    for name in "ABCD"
]  # fmt: skip
PROGRAM = """
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    words = [m["content"] for m in ask["messages"] if m["role"] == "user"] + [ask["input"]]
    call = {"name": "keep", "arguments": {"words": words, "session": ask["session"]}}
    print(json.dumps({"calls": [call], "output": ask["input"]}), flush=True)
    LAST
"""


def kept(ask):
    words = [m["content"] for m in ask["messages"] if m["role"] == "user"] + [ask["input"]]
    return {
        "calls": [{"name": "keep", "arguments": {"words": words, "session": ask["session"]}}],
        "output": ask["input"],
    }


@pytest.fixture(params=["http", pytest.param("exec", marks=pytest.mark.stories), "exec, kept running"])
def agent(request, tmp_path):
    """An agent that calls `keep` with everything the user has said in its session."""
    if request.param == "http":
        with service(kept) as running:
            yield rc.Agent(f"http:{running.url}")
        return
    reuse = "kept" in request.param
    (tmp_path / "agent.py").write_text(PROGRAM.replace("LAST", "" if reuse else "break"))
    command = "exec:" + json.dumps([sys.executable, "agent.py"])
    yield rc.Agent(command, exchange=Exchange(folder=str(tmp_path), reuse=reuse))


def test_every_turn_knows_the_earlier_ones_and_every_trial_has_its_own_session(agent, tmp_path):
    run = rc.evaluate(agent, TALKS, trials=2, concurrency=8, store=tmp_path / "runs.db")
    assert run.passed, [(one.error, one.codes) for one in run.results]
    sessions = [{call.arguments["session"] for call in one.trajectory.calls} for one in run.results]
    assert [len(of_trial) for of_trial in sessions] == [1] * 8 and len(set.union(*sessions)) == 8


def test_a_simulated_user_talks_to_it(agent):
    said = {0: "word 0", 1: "word 1"}
    user = ScriptedProvider(lambda request: said.get(request.turn, "###STOP###"), "scripted:user")
    golden = ConversationalGolden("Say word 0 and word 1", id="sim")
    result = rc.assert_test(golden=golden, agent=agent, user=user)
    assert result.trajectory.calls[-1].arguments["words"] == ["word 0", "word 1"]
