"""The adapter `haystack` with the real framework and its OpenAI generator, against the scripted server."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest
from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool
from haystack.utils import Secret

import rightcall as rc
from tests.limbs.adapters.contract import AdapterContract, Kit, MockableTools, made, performed
from tests.limbs.adapters.script import Journal, book_room, weather_of
from tests.limbs.adapters.shared_server import served


@tool
def get_weather(city: Annotated[str, "which city"]) -> str:
    """The weather in a city."""
    return weather_of(city)


@tool
def book(city: str, nights: int) -> str:
    """Book a room."""
    return book_room(city, nights)


@tool
async def wait(seconds: int) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


def agent(journal: Journal, **more: Any) -> Agent:
    server = served(journal)
    generator = OpenAIChatGenerator(
        Secret.from_token("k"), server.model, api_base_url=f"{server.address}/v1", max_retries=0
    )
    return Agent(chat_generator=generator, **{"tools": [get_weather, book, wait], **more})


class HaystackKit(Kit):
    name = "haystack"
    malformed = None

    def agent(self, journal: Journal) -> Agent:
        return agent(journal, system_prompt="Help.")

    def limited(self, journal: Journal) -> Agent:
        return agent(journal, max_agent_steps=3)

    async def plain(self, agent: Any, text: str) -> str:
        result = await agent.run_async(messages=[ChatMessage.from_user(text)])
        return str(result["last_message"].text)


class TestHaystack(AdapterContract, MockableTools):
    kit = HaystackKit()


def test_an_agent_that_runs_in_threads_is_observed():
    def ask(golden: rc.Golden) -> str:
        ours = agent(Journal(), tools=[get_weather, book])
        return str(ours.run(messages=[ChatMessage.from_user(golden.input)])["last_message"].text)

    (trajectory,) = performed(rc.observe(ask, via="haystack"), "trip Hanoi")
    assert made(trajectory) == TestHaystack().trip()
    assert trajectory.output == "No room in Hanoi."


def test_an_agent_in_a_pipeline_is_observed():
    pipeline = Pipeline()
    pipeline.add_component("agent", agent(Journal()))
    says = {"input": lambda golden: {"agent": {"messages": [ChatMessage.from_user(golden.input)]}}}
    (trajectory,) = performed(rc.observe(pipeline, **says), "weather Hue")
    assert made(trajectory) == [("get_weather", {"city": "Hue"}, 0, "ok")]
    assert trajectory.output == "31 degrees in Hue."
    assert [tool.name for tool in rc.observe(pipeline).tools()] == ["get_weather", "book", "wait"]


def test_a_pipeline_needs_to_know_what_to_make_of_the_words():
    pipeline = Pipeline()
    pipeline.add_component("agent", agent(Journal()))
    with pytest.raises(rc.errors.ConfigError, match="takes a dict of its components' inputs"):
        performed(rc.observe(pipeline), "weather Hue")


def test_an_agent_used_as_a_tool_runs_inside_its_call():
    inner = agent(Journal())

    @tool(name="get_weather")
    def expert(city: str) -> str:
        """The weather in a city."""
        return str(inner.run(messages=[ChatMessage.from_user(f"weather {city}")])["last_message"].text)

    outer = rc.observe(agent(Journal(), tools=[expert]), calls="all")
    (trajectory,) = performed(outer, "weather Hanoi")
    calls = [(c.name, c.arguments, c.path, c.notes.get("parent")) for c in trajectory.calls]
    assert calls == [
        ("get_weather", {"city": "Hanoi"}, (), None),
        ("get_weather", {"city": "Hanoi"}, ("", ""), "c1-Hanoi"),
    ]
    assert trajectory.usage.input_tokens == 400


def test_being_observed_changes_no_request():
    apart = Journal()
    watched = Journal()
    asyncio.run(agent(apart).run_async(messages=[ChatMessage.from_user("trip Hanoi")]))
    performed(rc.observe(agent(watched)), "trip Hanoi")
    names = [served(journal).model for journal in (apart, watched)]
    assert [r.replace(names[0], names[1]) for r in apart.requests] == watched.requests
