"""The adapter `autogen` with the real framework."""

from __future__ import annotations

import asyncio
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import ChatCompletionClient, CreateResult, ModelInfo, RequestUsage
from jsonschema_rs import validator_for

import rightcall as rc
from tests.limbs.adapters.contract import AdapterContract, Kit
from tests.limbs.adapters.script import USAGE, Journal, book_room, respond, weather_of


class ScriptedClient(ChatCompletionClient):
    """Answers by `script.respond`."""

    component_config_schema = None

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def create(self, messages: Any, **_: Any) -> CreateResult:
        self._journal.note(messages)
        await asyncio.sleep(0)
        said = ""
        turn = 0
        for message in messages:
            if message.type == "UserMessage":
                said = message.content
                turn = 0
            turn += message.type == "AssistantMessage"
        answer = respond(said, turn)
        calls = [FunctionCall(id=c.id, name=c.name, arguments=c.text) for c in answer.calls]
        return CreateResult(
            finish_reason="function_calls" if calls else "stop", content=calls or answer.text,
            usage=RequestUsage(*USAGE), cached=False,
        )  # fmt: skip

    def create_stream(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def close(self) -> None:
        return

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(0, 0)

    total_usage = actual_usage

    def count_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    remaining_tokens = count_tokens

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False
        )


async def get_weather(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


async def book(city: str, nights: int) -> str:
    """Book a room."""
    return book_room(city, nights)


async def wait(seconds: int) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


class AutoGenKit(Kit):
    name = "autogen"
    functions = False

    def agent(self, journal: Journal) -> Any:
        return AssistantAgent(
            "travel", ScriptedClient(journal), tools=[get_weather, book, wait], max_tool_iterations=8
        )

    async def plain(self, agent: Any, text: str) -> str:
        return str((await agent.run(task=text)).messages[-1].content)


class TestAutoGen(AdapterContract):
    kit = AutoGenKit()


def test_a_tool_belongs_to_its_agent_even_when_another_has_its_name():
    from autogen_agentchat.conditions import MaxMessageTermination
    from autogen_agentchat.teams import RoundRobinGroupChat
    from autogen_core.tools import FunctionTool

    def by_number(station: int) -> str:
        """The weather at a station."""
        return f"sunny at {station}"

    number_tool = FunctionTool(by_number, "The weather at a station.", name="get_weather")
    names, numbers = (
        AssistantAgent(name, ScriptedClient(Journal()), tools=tools)
        for name, tools in (("names", [get_weather, book]), ("numbers", [number_tool]))
    )
    team = RoundRobinGroupChat([names, numbers], termination_condition=MaxMessageTermination(2))
    weather, booking = rc.observe(team).tools()
    valid = validator_for(weather.input_schema).is_valid
    assert (weather.name, booking.name) == ("get_weather", "book")
    assert valid({"city": "Hue"}) and valid({"station": 7})
    assert not valid({"station": "Hue"}) and not valid({})
