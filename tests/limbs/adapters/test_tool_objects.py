"""`lint`, `tools list` and a suite's `tools:` read what frameworks make: tools, teams, graphs, runnables, factories."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import rightcall, write_lines

__all__ = ["rightcall"]

OPENAI_AGENTS = '''
from agents import Agent, WebSearchTool, function_tool, handoff


@function_tool
def answer_question(question: str) -> str:
    """Answers a frequent question."""
    return "x"


@function_tool
def update_seat(confirmation: str, seat: str) -> str:
    """Changes the seat of a booking."""
    return "x"


async def prepare(context):
    ...


faq = Agent("FAQ Agent", tools=[answer_question], handoff_description="Answers questions.")
seats = Agent("Seat Booking Agent", tools=[update_seat])
triage = Agent("Triage Agent", handoffs=[faq, handoff(agent=seats, on_handoff=prepare)])
faq.handoffs.append(triage)
TOOLS = [answer_question, WebSearchTool(), update_seat]
alone = Agent("Alone", tools=[WebSearchTool()])


def make_team():
    return triage
'''
LANGCHAIN = '''
from langchain.agents import create_agent
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import BaseTool, tool
from langgraph.prebuilt import ToolNode
from tests.limbs.adapters.kits.langchain import ScriptedChatModel
from tests.limbs.adapters.script import Journal


@tool
def search_web(query: str) -> str:
    """Searches the web."""
    return "x"


class ReadPage(BaseTool):
    name: str = "read_page"
    description: str = "Reads a page."

    def _run(self, url: str) -> str:
        return "x"


TOOLS = [search_web, ReadPage()]
NODE = ToolNode(TOOLS)
model = ScriptedChatModel(journal=Journal())
graph = create_agent(model, tools=TOOLS)
runnable = ChatPromptTemplate.from_messages([("user", "{q}")]) | model.bind_tools(TOOLS)


async def make_graph():
    return graph
'''
PYDANTIC_AI = '''
from pydantic_ai import Agent, FunctionToolset, RunContext, Tool


def balance(ctx: RunContext[int], include_pending: bool) -> str:
    """The balance of the customer."""
    return "x"


TOOLS = [Tool(balance)]
SET = FunctionToolset([balance])
agent = Agent("test", deps_type=int, tools=[balance])


class Bank:
    tools = TOOLS

    def __call__(self, question):
        return "x"


def make_agent():
    return agent


def make_text():
    return "x"
'''
MODULES = {"agents_shop": OPENAI_AGENTS, "chain_shop": LANGCHAIN, "pydantic_shop": PYDANTIC_AI}
TEAM = ["transfer_to_faq_agent", "transfer_to_seat_booking_agent", "answer_question", "transfer_to_triage_agent",
        "update_seat"]  # fmt: skip
OBJECTS = {
    "agents_shop:answer_question": ["answer_question"],
    "agents_shop:TOOLS": ["answer_question", "update_seat"],
    "agents_shop:triage": TEAM,
    "agents_shop:make_team": TEAM,
    "chain_shop:search_web": ["search_web"],
    "chain_shop:ReadPage": ["read_page"],
    "chain_shop:TOOLS": ["search_web", "read_page"],
    "chain_shop:NODE": ["search_web", "read_page"],
    "chain_shop:graph": ["search_web", "read_page"],
    "chain_shop:make_graph": ["search_web", "read_page"],
    "chain_shop:runnable": ["search_web", "read_page"],
    "pydantic_shop:TOOLS": ["balance"],
    "pydantic_shop:SET": ["balance"],
    "pydantic_shop:agent": ["balance"],
    "pydantic_shop:make_agent": ["balance"],
    "pydantic_shop:Bank.tools": ["balance"],
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, text in MODULES.items():
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize("source", OBJECTS)
def test_objects_of_frameworks_are_listed_linted_and_offered(rightcall, shop, source):
    listed = json.loads(rightcall("list", "tools", source, "--json").out)
    assert [tool["name"] for tool in listed] == OBJECTS[source]
    assert all(tool["description"] for tool in listed)
    linted = json.loads(rightcall("lint", source, "--json", "--show", "info").out)
    assert {finding["tool"] for finding in linted["diagnostics"]} == set(OBJECTS[source])
    write_lines(
        shop / "goldens.jsonl", {"id": "a", "input": "a", "expected_calls": [{"tool": OBJECTS[source][0]}]}
    )
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "keyword:"}, "tools": source}
    (shop / "suite.json").write_text(json.dumps(suite), "utf-8")
    assert rightcall("run", "suite.json", "--json").code in (0, 1)


def test_an_agent_without_tools_of_its_own_is_an_error_in_one_sentence(rightcall, shop):
    for command in (["lint"], ["list", "tools"]):
        done = rightcall(*command, "agents_shop:alone")
        assert (done.code, done.out) == (2, "")
        assert done.err == (
            "error: agents_shop:alone: no tools found; agents.agent.Agent shows none;"
            " name the list of its tools: module:TOOLS\n"
        )


def test_a_suite_is_linted_with_the_tools_of_its_agent(rightcall, shop):
    write_lines(shop / "goldens.jsonl", {"id": "a", "input": "a", "expected_calls": []})
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "agents_shop:make_team"}}
    (shop / "suite.json").write_text(json.dumps(suite), "utf-8")
    done = rightcall("lint", "suite.json")
    assert done.err == (
        "error: suite.json: its tools are code: 'agents_shop:make_team'; pass --import to import the module\n"
    )
    assert "5 tools, about" in rightcall("lint", "--import", "suite.json").out


@pytest.mark.parametrize("name", ["agent", "make_agent"])
def test_a_run_takes_an_agent_or_what_makes_it(rightcall, shop, name):
    expected = [{"tool": "balance", "args": {"include_pending": False}}]
    write_lines(shop / "goldens.jsonl", {"id": "a", "input": "How much?", "expected_calls": expected})
    agent = {"model": f"pydantic_shop:{name}", "with": {"deps": 7}}
    suite = {"dataset": "goldens.jsonl", "agent": agent}
    (shop / "suite.json").write_text(json.dumps(suite), "utf-8")
    done = rightcall("run", "suite.json", "--json")
    assert (done.code, done.rows[-1]["verdict"]) == (0, "PASS"), done.err


def test_a_run_of_a_class_asks_an_object_of_it(rightcall, shop):
    write_lines(shop / "goldens.jsonl", {"id": "a", "input": "How much?", "expected_calls": []})
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "pydantic_shop:Bank"}}
    (shop / "suite.json").write_text(json.dumps(suite), "utf-8")
    assert rightcall("run", "suite.json", "--json").code == 0


def test_what_makes_no_agent_is_refused_before_the_run(rightcall, shop):
    write_lines(shop / "goldens.jsonl", {"id": "a", "input": "How much?", "expected_calls": []})
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "pydantic_shop:make_text"}}
    (shop / "suite.json").write_text(json.dumps(suite), "utf-8")
    done = rightcall("run", "suite.json")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: pydantic_shop:make_text() is not an agent but a value of type str;"
        " an agent is a function, an object of a framework, or one with __call__\n"
    )
