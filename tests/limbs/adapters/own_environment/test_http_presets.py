"""`preset:` with real servers on this machine: `langgraph dev`, and an app of the bedrock-agentcore package."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import rightcall as rc
from rightcall.agents.remote.exchange import Exchange
from rightcall.records import ConversationalGolden, ExpectedCall, Turn
from tests.limbs.adapters.contract import TRIP, made, performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal

LOOP = """
import json, os, urllib.request

def ask(messages):
    body = json.dumps({"model": "m", "messages": messages}).encode()
    request = urllib.request.Request(os.environ["MODEL_URL"], body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]

def run_tool(name, city, **more):
    return (f"31 in {city}", "success") if name == "get_weather" else (f"no room in {city}", "error")
"""
GRAPH = """
import json
from langchain_core.messages import AIMessage, ToolMessage, convert_to_openai_messages
from langgraph.graph import END, START, MessagesState, StateGraph
from loop import ask, run_tool

def model(state):
    reply = ask(convert_to_openai_messages(state["messages"]))
    calls = [{"id": c["id"], "name": c["function"]["name"], "args": json.loads(c["function"]["arguments"])}
             for c in reply.get("tool_calls") or ()]
    return {"messages": [AIMessage(reply["content"] or "", tool_calls=calls)]}

def tools(state):
    done = [(c, run_tool(c["name"], **c["args"])) for c in state["messages"][-1].tool_calls]
    return {"messages": [ToolMessage(r, tool_call_id=c["id"], name=c["name"], status=s) for c, (r, s) in done]}

builder = StateGraph(MessagesState).add_node("model", model).add_node("tools", tools).add_edge(START, "model")
builder.add_conditional_edges("model", lambda s: "tools" if s["messages"][-1].tool_calls else END)
graph = builder.add_edge("tools", "model").compile()
"""
APP = """
import json, sys
from bedrock_agentcore import BedrockAgentCoreApp
from loop import ask, run_tool

app, histories = BedrockAgentCoreApp(), {}

@app.entrypoint
def invoke(payload, context):
    history = histories.setdefault(context.session_id, [])
    start = len(history)
    history.append({"role": "user", "content": payload["prompt"]})
    while True:
        reply = ask(history)
        history.append(reply)
        if not reply.get("tool_calls"):
            return {"messages": history[start:], "output": reply["content"]}
        for c in reply["tool_calls"]:
            result, _ = run_tool(c["function"]["name"], **json.loads(c["function"]["arguments"]))
            history.append({"role": "tool", "tool_call_id": c["id"], "content": result})

app.run(port=int(sys.argv[1]), host="127.0.0.1")
"""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _command(preset: str, folder: Path, port: int) -> list[str]:
    (folder / "loop.py").write_text(LOOP)
    if preset == "agentcore":
        (folder / "app.py").write_text(APP)
        return [sys.executable, "app.py", str(port)]
    (folder / "graph.py").write_text(GRAPH)
    (folder / "langgraph.json").write_text('{"dependencies": ["."], "graphs": {"agent": "./graph.py:graph"}}')
    langgraph = str(Path(sys.executable).parent / "langgraph")
    return [langgraph, "dev", "--no-browser", "--no-reload", "--port", str(port), "--allow-blocking"]


@pytest.fixture(scope="module", params=["langgraph", "agentcore"])
def platform(request, tmp_path_factory) -> Iterator[tuple[str, str, Journal]]:
    """The preset, the address of its server, and what its model was asked."""
    folder = tmp_path_factory.mktemp(request.param)
    port = _free_port()
    journal = Journal()
    with model_server(journal) as model:
        env = {**os.environ, "MODEL_URL": f"{model}/v1/chat/completions", "LANGSMITH_TRACING": "false"}
        command = _command(request.param, folder, port)
        with (folder / "server.log").open("w") as log:
            server = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
        try:
            _wait_for(f"http://127.0.0.1:{port}/{'ok' if request.param == 'langgraph' else 'ping'}", folder)
            yield request.param, f"http:http://127.0.0.1:{port}", journal
        finally:
            server.terminate()
            server.wait(20)


def _wait_for(url: str, folder: Path) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        try:
            urlopen(url).close()
            return
        except HTTPError as error:
            error.close()
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError((folder / "server.log").read_text()[-2000:])


def test_calls_and_the_answer_are_those_of_the_script(platform):
    preset, address, journal = platform
    before = len(journal.requests)
    (trajectory,) = performed(address, "trip Hanoi", exchange=Exchange(preset=preset))
    assert (trajectory.stop_reason, trajectory.error) == ("done", "")
    last = "error" if preset == "langgraph" else "ok"  # a chat message does not say that a tool failed
    assert made(trajectory) == [*TRIP[:2], (*TRIP[2][:3], last)]
    assert trajectory.output == "No room in Hanoi."
    assert len(journal.requests) - before == 3


def test_turns_of_a_conversation_share_a_session_and_trials_do_not(platform, tmp_path):
    preset, address, journal = platform
    journal.requests.clear()
    talks: list[Any] = [
        ConversationalGolden(
            "Weather", id=name,
            turns=tuple(
                Turn("user", f"weather {place}{name}",
                     expected_calls=(ExpectedCall("get_weather", {"city": f"{place}{name}"}),))
                for place in ("City", "Town")
            ),
        )
        for name in "AB"
    ]  # fmt: skip
    agent = rc.Agent(address, exchange=Exchange(preset=preset))
    run = rc.evaluate(agent, talks, trials=2, store=tmp_path / "runs.db")
    assert run.passed, [(result.error, result.codes) for result in run.results]
    for sent in journal.requests:
        assert sum(f"City{talk.id}" in sent or f"Town{talk.id}" in sent for talk in talks) == 1
        assert "Town" not in sent or "City" in sent
    assert len(journal.requests) == 2 * 2 * 2 * 2
