"""The adapter `openai_agents` with the real framework."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import agents
import rightcall as rc
from agents import Agent, RunConfig, RunHooks, Runner, function_tool, handoff
from rightcall.records import Golden
from tests.limbs.adapters.contract import AdapterContract, MockableTools, made, own_loop, performed
from tests.limbs.adapters.kits.openai_agents import TOOLS, OpenAIAgentsKit, ScriptedAgentsModel, get_weather
from tests.limbs.adapters.script import Answer, Call, Journal, book_room, respond


class TestOpenAIAgents(AdapterContract, MockableTools):
    kit = OpenAIAgentsKit()


def scripted(*answers: Answer) -> ScriptedAgentsModel:
    return ScriptedAgentsModel(Journal(), lambda said, turn: answers[min(turn, len(answers) - 1)])


def team() -> Agent:
    """A triage agent that hands over to billing, which asks an expert as a tool."""
    expert = Agent("expert", tools=[get_weather], model=ScriptedAgentsModel(Journal()))
    billing = Agent(
        "billing",
        tools=[expert.as_tool("ask_expert", "Ask")],
        model=ScriptedAgentsModel(Journal(), lambda said, turn: [
            Answer(calls=(Call("ask_expert", {"input": "weather Hue"}, "e1"),)), Answer("Settled."),
        ][min(turn - 1, 1)]),
    )  # fmt: skip
    return Agent(
        "triage", handoffs=[billing], model=scripted(Answer(calls=(Call("transfer_to_billing", {}, "h1"),)))
    )


def test_a_handoff_is_a_call_and_what_follows_is_the_same_conversation():
    (trajectory,) = performed(rc.observe(team()), "help")
    assert [(c.name, c.status, c.agent) for c in trajectory.calls] == [
        ("transfer_to_billing", "ok", "triage"), ("ask_expert", "ok", "billing"),
    ]  # fmt: skip
    assert trajectory.calls[0].notes["handoff"] == "billing"
    assert trajectory.calls[0].output == '{"assistant": "billing"}'  # what the next model reads
    assert trajectory.output == "Settled."


@pytest.mark.parametrize("over", [lambda agent: agent, handoff], ids=["agent", "handoff(agent)"])
def test_mocks_answer_behind_every_kind_of_handoff_and_the_handoff_is_a_tool_of_the_team(over):
    ran: list[str] = []

    @function_tool
    def refund(order: str) -> str:
        """Refund an order."""
        ran.append(order)
        return "refunded"

    asks = Answer(calls=(Call("refund", {"order": "O1"}, "r1"),))
    billing = Agent("billing", tools=[refund], model=scripted(Answer(), asks, Answer("Done.")))
    hands_over = Answer(calls=(Call("transfer_to_billing", {}, "h1"),))
    observed = rc.observe(Agent("triage", handoffs=[over(billing)], model=scripted(hands_over)), tools="mock")
    assert [tool.name for tool in observed.tools()] == ["transfer_to_billing", "refund"]
    (trajectory,) = performed(observed, "help", mocks={"refund": {"result": "mocked"}})
    assert [(call.name, call.status) for call in trajectory.calls] == [
        ("transfer_to_billing", "ok"), ("refund", "ok")
    ]  # fmt: skip
    assert (trajectory.calls[1].output, ran, trajectory.output) == ("mocked", [], "Done.")


def test_calls_inside_an_agent_used_as_a_tool_are_left_out_unless_asked_for():
    (trajectory,) = performed(rc.observe(team(), calls="all", handoffs="drop"), "help")
    assert [(c.name, c.path, c.notes.get("parent")) for c in trajectory.calls] == [
        ("ask_expert", ("billing",), None), ("get_weather", ("billing", "expert"), "e1"),
    ]  # fmt: skip


def test_tokens_of_inner_agents_count_once():
    (trajectory,) = performed(rc.observe(team()), "help")
    assert trajectory.usage.input_tokens == 500  # triage 1, billing 2, expert 2


class Logging(RunHooks):
    def __init__(self) -> None:
        self.seen: list[str] = []

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        self.seen.append("agent_start")

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
        self.seen.append("llm_start")

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        self.seen.append("llm_end")

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        self.seen.append(f"tool_start {tool.name}")

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        self.seen.append(f"tool_end {tool.name}")

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        self.seen.append("agent_end")


def test_the_users_own_hooks_still_fire_in_the_same_order():
    agent = OpenAIAgentsKit().agent(Journal())
    alone = Logging()
    beside = Logging()
    asyncio.run(Runner.run(agent, "weather Hanoi", hooks=alone))

    async def ask(golden: Golden) -> str:
        return (await Runner.run(agent, golden.input, hooks=beside)).final_output

    performed(rc.observe(ask, via="openai_agents"), "weather Hanoi")
    assert beside.seen == alone.seen and len(alone.seen) == 8


def test_hooks_that_raise_are_the_agents_own_failure():
    class Broken(RunHooks):
        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            raise RuntimeError("my hook broke")

    async def ask(golden: Golden) -> str:
        agent = OpenAIAgentsKit().agent(Journal())
        return (await Runner.run(agent, golden.input, hooks=Broken())).final_output

    (trajectory,) = performed(rc.observe(ask, via="openai_agents"), "weather Hanoi")
    assert trajectory.stop_reason == "agent_error" and "my hook broke" in trajectory.error
    assert [c.name for c in trajectory.calls] == ["get_weather"]


@pytest.mark.parametrize("way", ["run_sync", "run_streamed"])
def test_sync_and_streamed_runs_of_a_function_are_seen(way):
    def ask_sync(golden: Golden) -> str:
        with own_loop():
            return Runner.run_sync(OpenAIAgentsKit().agent(Journal()), golden.input).final_output

    async def ask_streamed(golden: Golden) -> str:
        result = Runner.run_streamed(OpenAIAgentsKit().agent(Journal()), golden.input)
        async for _ in result.stream_events():
            pass
        return result.final_output

    agent = rc.observe(ask_sync if way == "run_sync" else ask_streamed, via="openai_agents")
    (trajectory,) = performed(agent, "weather Hanoi")
    assert made(trajectory) == [("get_weather", {"city": "Hanoi"}, 0, "ok")]
    assert trajectory.usage.input_tokens == 200


def test_with_tracing_disabled_the_standard_words_tell_of_a_failure():
    async def ask(golden: Golden) -> str:
        agent = OpenAIAgentsKit().agent(Journal())
        return (
            await Runner.run(agent, golden.input, run_config=RunConfig(tracing_disabled=True))
        ).final_output

    (trajectory,) = performed(rc.observe(ask, via="openai_agents"), "trip Hanoi")
    assert [c.status for c in trajectory.calls] == ["ok", "ok", "error"]


def test_a_tool_that_raises_out_of_the_run_leaves_its_calls():
    @function_tool(name_override="book", failure_error_function=None)
    def strict_book(city: str, nights: int) -> str:
        """Book a room."""
        return book_room(city, nights)

    agent = Agent("travel", tools=[get_weather, strict_book], model=ScriptedAgentsModel(Journal(), respond))
    (trajectory,) = performed(rc.observe(agent), "trip Hanoi")
    assert [c.status for c in trajectory.calls] == ["ok", "ok", "error"]
    assert trajectory.stop_reason == "agent_error" and trajectory.usage.input_tokens == 200


def test_the_default_runner_is_put_back():
    before = agents.run.get_default_agent_runner()
    performed(rc.observe(OpenAIAgentsKit().agent(Journal())), "weather Hanoi")
    assert agents.run.get_default_agent_runner() is before


def test_tools_are_read_from_the_agent():
    found = {tool.name: tool for tool in rc.observe(OpenAIAgentsKit().agent(Journal())).tools()}
    assert set(found) == {tool.name for tool in TOOLS}
    assert found["book"].input_schema["required"] == ["city", "nights"]


def test_a_user_package_called_agents_is_not_mistaken_for_the_framework(monkeypatch):
    import sys
    import types

    class Mine:
        pass

    Mine.__module__ = "agents.mine"
    monkeypatch.setitem(sys.modules, "agents", types.ModuleType("agents"))
    with pytest.raises(rc.errors.ConfigError, match=r"agents\.mine.*Mine belongs to no known framework"):
        rc.observe(Mine())
