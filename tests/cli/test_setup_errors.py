"""Errors of a set-up: the whole text that a user reads, and no request to a model before it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.one_server import one_server

pytestmark = pytest.mark.stories
AGENT = """
from dataclasses import dataclass
from typing import TypedDict

import openai
from agents import Agent as TeamAgent
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic_ai import Agent

@dataclass
class Bank:
    customer: str

class Account(TypedDict):
    number: str

def asks(question):
    client = openai.OpenAI()
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": question}])

def tells(golden):
    return asks(repr(golden))

def needs_bank(question: str, bank: Bank):
    return asks(question)

class Desk:
    def answer(self, question: str):
        return asks(question)

desk = Desk()
support = Agent("openai:m", deps_type=Bank)
team = TeamAgent[Bank](name="team", model="m", instructions=lambda context, agent: context.context.customer)
builder = StateGraph(MessagesState, context_schema=Account)
builder.add_node("ask", lambda state, runtime: {"messages": [str(asks(runtime.context["number"]))]})
builder.add_edge(START, "ask")
builder.add_edge("ask", END)
graph = builder.compile()
NOTHING: list = []
"""
EXPECTS = {"id": "hi", "input": "Hi", "expected_calls": [{"tool": "look_up", "args": {"id": "A1"}}]}


def suite(
    model: str, *, golden: Any = EXPECTS, values: dict[str, Any] | None = None, **more: Any
) -> dict[str, str]:
    agent = {"model": model, **({"with": values} if values else {})}
    document = {"dataset": "goldens.jsonl", "agent": agent, **more}
    return {"goldens.jsonl": json.dumps(golden), "suite.json": json.dumps(document)}


WITH_DRAFT = {**EXPECTS, "metadata": {"review": {"state": "draft"}}}
WITH_MATCHER = {
    "id": "near",
    "input": "Near me?",
    "expected_calls": [{"tool": "look_up", "args": {"at": {"approx": 37.77, "tolerance": 0.1}}}],
}
ODD_SERVER = Path(__file__).parents[1] / "tools" / "odd_server.py"
FUTURE_SERVER = f"mcp:{sys.executable} {ODD_SERVER} future"
RUN = ("run", "suite.json")
PROVIDED = (
    "which nothing provides: an agent is called with the text, and with what it names of golden, history or messages,"
    " and thread_id or session_id; give the others a default, or a value:"
)
REFUSED = (
    f"MCP server '{FUTURE_SERVER[4:]}' refused the connection: asked for protocol 2026-07-28 or 2025-11-25, it answered"
    " error -32022: Unsupported protocol version (it speaks 2099-01-01); it is still running"
)
DESK = "support_desk"

SETUPS: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "a parameter that nothing provides": (
        suite(f"{DESK}:needs_bank"),
        RUN,
        f"needs_bank(question, bank) needs 'bank', {PROVIDED} with: {{bank: MODULE:FUNCTION}}",
    ),
    "a method without its object": (
        suite(f"{DESK}:Desk.answer"),
        RUN,
        f"Desk.answer(self, question) needs 'self', {PROVIDED} with: {{self: MODULE:FUNCTION}}",
    ),
    "a class that cannot be called": (
        suite(f"{DESK}:Desk"),
        RUN,
        "Desk is a class whose instances cannot be called; name the method that gets the text (Desk.answer),"
        " or add __call__",
    ),
    "an object that cannot be called": (
        suite(f"{DESK}:desk"),
        RUN,
        f"{DESK}:desk is not an agent but a value of type {DESK}.Desk; name the method that gets the text ({DESK}:desk.answer),"
        " or add __call__",
    ),
    "a list in place of an agent": (
        suite(f"{DESK}:NOTHING"),
        RUN,
        f"{DESK}:NOTHING is not an agent but a value of type list; an agent is a function, an object of a framework, or one with"
        " __call__",
    ),
    "a module that is no Python, and a value for its agent": (
        {**suite("broken_desk:answer", values={"bank": 1}), "broken_desk.py": "def answer(:"},
        RUN,
        "'broken_desk:answer' cannot be loaded: SyntaxError: invalid syntax (broken_desk.py, line 1)",
    ),
    "what is expected in a request": (
        suite(f"{DESK}:tells"),
        RUN,
        "tells: the request to URL/chat/completions holds what is expected of it, so nothing that it does shows"
        " anything; send the text of hi: golden.input, or str(golden)",
    ),
    "dependencies of Pydantic AI": (
        suite(f"{DESK}:support"),
        RUN,
        f"{DESK}:support needs deps (Bank): agent: {{model: {DESK}:support, with: {{deps: MODULE:FUNCTION}}}}",
    ),
    "a context of OpenAI Agents": (
        suite(f"{DESK}:team"),
        RUN,
        f"{DESK}:team needs context (Bank): agent: {{model: {DESK}:team, with: {{context: MODULE:FUNCTION}}}}",
    ),
    "a context of LangGraph": (
        suite(f"{DESK}:graph"),
        RUN,
        f"{DESK}:graph needs context (Account): agent: {{model: {DESK}:graph, with: {{context: MODULE:FUNCTION}}}}",
    ),
    "a value of another type": (
        suite(f"{DESK}:support", values={"deps": "Ann"}),
        RUN,
        "with.deps must be a Bank, got 'Ann'; write the fields of one, or MODULE:FUNCTION that returns it",
    ),
    "a value that is still to be named": (
        suite(f"{DESK}:support", values={"deps": "MODULE:FUNCTION"}),
        RUN,
        "agent.with.deps: write the name of a function that returns it, not MODULE:FUNCTION",
    ),
    "a key that the agent does not take": (
        suite(f"{DESK}:support", values={"deps": {"customer": "Ann"}, "dep": {}}),
        RUN,
        f"with.dep: {DESK}:support takes no 'dep'; did you mean 'deps'?",
    ),
    "a project in src": (
        {**suite("laid_out.agent:graph"), "src/laid_out/agent.py": "graph = 1"},
        RUN,
        "'laid_out.agent:graph' cannot be loaded: no module laid_out; it is in src/: PYTHONPATH=src",
    ),
    "tools of a suite that are none": (
        suite("openai:m", tools=f"{DESK}:NOTHING"),
        RUN,
        f"{DESK}:NOTHING: no tools found; add at least one",
    ),
    "lint without tools": (
        {},
        ("lint", f"{DESK}:NOTHING"),
        f"{DESK}:NOTHING: no tools found; add at least one",
    ),
    "a list without tools": (
        {},
        ("list", "tools", f"{DESK}:NOTHING"),
        f"{DESK}:NOTHING: no tools found; add at least one",
    ),
    "goldens that nobody reviewed": (
        suite("openai:m", golden=WITH_DRAFT),
        RUN,
        "goldens.jsonl: 1 golden is unreviewed: 'hi'; review with `rightcall generate review goldens.jsonl`",
    ),
    "a misspelt matcher": (
        suite(f"{DESK}:asks", golden=WITH_MATCHER),
        RUN,
        "goldens.jsonl:1: expected_calls[0].args.at: read as a literal object; 'approx', 'tolerance' are not the keys"
        ' of a matcher; did you mean {"number":37.77,"abs":0.1}?',
    ),
    "a turn with its role as key": (
        suite(f"{DESK}:asks", golden={"id": "t", "scenario": "s", "turns": [{"user": "Hi"}]}),
        RUN,
        'goldens.jsonl:1: unknown field \'user\' in turns[0]; write {"role": "user", "content": "…"}',
    ),
    "lint of a server of another protocol": ({}, ("lint", FUTURE_SERVER), REFUSED),
    "tools of a server of another protocol": ({}, ("list", "tools", FUTURE_SERVER), REFUSED),
}
"""Files beside the agent, the command, and the text of its error."""


@pytest.mark.parametrize("name", SETUPS)
def test_a_broken_setup_is_one_error_before_a_model_is_asked(name, rightcall, monkeypatch, tmp_path):
    files, words, text = SETUPS[name]
    for path, content in {"support_desk.py": AGENT, **files}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, DESK, raising=False)
    with one_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
        done = rightcall(*words)
    errors = [line for line in done.err.splitlines() if not line.startswith("asks: ")]
    assert errors == [f"error: {text.replace('URL', server.url)}"]
    assert (done.code, done.out, server.bodies) == (4 if text == REFUSED else 2, "", [])
