"""`with`: agents that take something besides the text, with the real frameworks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool
from langchain_core.runnables import RunnableConfig
from pydantic_ai import Agent as PydanticAgent, RunContext

import rightcall as rc
from agents import Agent as OpenAIAgent, RunContextWrapper, function_tool
from rightcall.core.errors import ConfigError
from rightcall.records import Golden
from tests.limbs.adapters.contract import performed
from tests.limbs.adapters.kits.langchain import ScriptedChatModel
from tests.limbs.adapters.kits.openai_agents import ScriptedAgentsModel
from tests.limbs.adapters.kits.pydantic_ai import scripted_model
from tests.limbs.adapters.script import Answer, Call, Journal


@dataclass
class Bank:
    customer: str
    asked: list[str] = field(default_factory=list)


@dataclass
class Words:
    greeting: str = "Hi"


def balance_once(said: str, turn: int) -> Answer:
    return Answer("Done.") if turn else Answer(calls=(Call("balance", {}, "c1"),))


def pydantic_bank() -> Any:
    async def balance(context: RunContext[Bank]) -> str:
        context.deps.asked.append("balance")
        return f"{context.deps.customer}: {len(context.deps.asked)}"

    return PydanticAgent(
        scripted_model(Journal(), balance_once), tools=[balance], deps_type=Bank, name="bank"
    )


def openai_bank() -> Any:
    @function_tool
    def balance(context: RunContextWrapper[Bank]) -> str:
        context.context.asked.append("balance")
        return f"{context.context.customer}: {len(context.context.asked)}"

    return OpenAIAgent[Bank](name="bank", model=ScriptedAgentsModel(Journal(), balance_once), tools=[balance])


def langgraph_bank() -> Any:
    @tool
    async def balance(runtime: ToolRuntime[Bank]) -> str:
        """The balance."""
        runtime.context.asked.append("balance")
        return f"{runtime.context.customer}: {len(runtime.context.asked)}"

    model = ScriptedChatModel(journal=Journal(), respond_to=balance_once)
    return create_agent(model, [balance], context_schema=Bank, name="bank")


BANKS = [(pydantic_bank, "deps"), (openai_bank, "context"), (langgraph_bank, "context")]


def bank_of(labels: dict[str, Any]) -> Bank:
    return Bank(labels["id"])


async def bank_of_none() -> Bank:
    return Bank("none")


def results(agent: Any, values: dict[str, Any]) -> list[str]:
    return [call.output for done in performed(agent, "a", "b", with_=values) for call in done.calls]


@pytest.mark.parametrize(("agent", "key"), BANKS)
@pytest.mark.parametrize(
    ("value", "outputs"),
    [
        (bank_of, ["g0: 1", "g1: 1"]),
        (bank_of_none, ["none: 1", "none: 1"]),
        ({"customer": "Ann"}, ["Ann: 1", "Ann: 1"]),
        (Bank("Bob"), ["Bob: 1", "Bob: 1"]),
    ],
)
def test_each_trial_has_its_own_value(agent, key, value, outputs):
    assert results(agent(), {key: value}) == outputs


@pytest.mark.parametrize(("agent", "key"), BANKS)
def test_a_missing_value_is_an_error_with_the_line_to_write(agent, key):
    line = rf"bank needs {key} \(Bank\): rc.Agent\(…, with_={{\"{key}\": make_{key}}}\)"
    with pytest.raises(ConfigError, match=line):
        performed(agent(), "balance?")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (lambda customer: customer, "with.deps: <lambda> needs customer; it is called for each trial"),
        (lambda: 1 / 0, r"with.deps: <lambda> \(.*test_with.py:\d+\) raised ZeroDivisionError.*golden 'g0'"),
        ({"client": "Ann"}, "with.deps does not describe a Bank: TypeError: .*'client'"),
        ("Ann", "with.deps must be a Bank, got 'Ann'"),
    ],
)
def test_a_value_that_cannot_be_used_is_a_setup_error(value, problem):
    with pytest.raises(ConfigError, match=problem):
        performed(pydantic_bank(), "balance?", with_={"deps": value})


@pytest.mark.parametrize(
    ("agent", "problem"),
    [
        (pydantic_bank(), "with.dep: bank takes no 'dep'; did you mean 'deps'?"),
        (langgraph_bank(), "with.dep: bank takes no 'dep'; it takes context, config"),
        ("keyword:", "with.dep: keyword: takes no .dep.; it takes nothing besides the text"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_what_the_agent_takes(agent, problem):
    with pytest.raises(ConfigError, match=problem):
        performed(agent, "balance?", with_={"dep": 1, "deps": Bank("Ann"), "context": Bank("Ann")})


def test_null_is_the_answer_of_an_agent_that_does_without():
    async def balance() -> str:
        return "42"

    agent = PydanticAgent(scripted_model(Journal(), balance_once), tools=[balance], deps_type=Bank)
    assert results(agent, {"deps": None}) == ["42", "42"]


def test_the_config_of_a_graph_keeps_the_thread_of_the_trial():
    @tool
    async def balance(config: RunnableConfig) -> str:
        """The balance."""
        return f"{config['configurable']['user']} {config['configurable']['thread_id'][:12]}"

    agent = create_agent(ScriptedChatModel(journal=Journal(), respond_to=balance_once), [balance])
    mine = {"configurable": {"user": "Ann", "thread_id": "shared"}}
    assert results(agent, {"config": mine}) == ["Ann rightcall-g0", "Ann rightcall-g1"]


def test_one_value_serves_all_turns_of_a_conversation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    turns = (rc.Turn("user", "a"), rc.Turn("user", "b"))
    golden = rc.ConversationalGolden("Ask twice.", id="talk", turns=turns)
    (case,) = rc.evaluate(rc.Agent(pydantic_bank(), with_={"deps": bank_of}), [golden]).results
    assert [call.output for call in case.trajectory.calls] == ["talk: 1", "talk: 2"]


def test_labels_hold_nothing_that_is_expected():
    labels_of_trials: list[dict[str, Any]] = []

    def bank(labels: dict[str, Any]) -> Bank:
        labels_of_trials.append(labels)
        return Bank("Ann")

    expected = (rc.ExpectedCall("balance"),)
    golden = Golden("a", id="g", tags=("vip",), metadata={"customer": 7}, expected_calls=expected)
    assert rc.assert_test(golden=golden, agent=rc.Agent(openai_bank(), with_={"context": bank})).passed
    assert labels_of_trials == [{"id": "g", "tags": ["vip"], "metadata": {"customer": 7}}]


def test_a_database_is_opened_where_the_tools_of_an_agent_use_it():
    async def balance(context: RunContext[sqlite3.Connection]) -> str:
        return str(context.deps.execute("SELECT 123.45").fetchone()[0])

    def connected() -> Iterator[sqlite3.Connection]:
        with sqlite3.connect(":memory:") as connection:
            yield connection

    model = scripted_model(Journal(), balance_once)
    agent = PydanticAgent(model, tools=[balance], deps_type=sqlite3.Connection)
    assert results(agent, {"deps": connected}) == ["123.45", "123.45"]


def test_a_context_whose_fields_have_defaults_is_an_empty_object():
    graph = create_agent(ScriptedChatModel(journal=Journal()), [], context_schema=Words)
    with pytest.raises(ConfigError, match=r"agent: \{model: bank:graph, with: \{context: \{\}\}\}"):
        performed(graph, "a", label="bank:graph")
