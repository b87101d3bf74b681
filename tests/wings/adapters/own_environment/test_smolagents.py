"""The adapter `smolagents` with the real framework."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from smolagents import ToolCallingAgent, tool
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, Model
from smolagents.monitoring import LogLevel, TokenUsage

import rightcall as rc
from tests.wings.adapters.contract import AdapterContract, Kit
from tests.wings.adapters.script import USAGE, Journal, book_room, respond, weather_of


class ScriptedModel(Model):
    """Answers by `script.respond`; says its last words with the pseudo-tool `final_answer`."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(model_id="scripted")
        self._journal = journal

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        self._journal.note(messages)
        said, turn = "", 0
        for message in messages:
            text = message.content if isinstance(message.content, str) else "".join(
                part.get("text", "") for part in message.content or ()
            )  # fmt: skip
            if message.role == "user" and "task:\n" in text.lower():
                said, turn = text.partition("ask:\n")[2].strip(), 0
            turn += message.role == "tool-response"  # one for every step, failed or not
        answer = respond(said, turn)
        calls = [(c.name, c.arguments, c.id) for c in answer.calls] or [
            ("final_answer", {"answer": answer.text}, "f")
        ]
        made = [ChatMessageToolCall(ChatMessageToolCallFunction(a, n), i, "function") for n, a, i in calls]
        return ChatMessage("assistant", None, made, token_usage=TokenUsage(*USAGE))


@tool
def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: which city
    """
    return weather_of(city)


@tool
def book(city: str, nights: int) -> str:
    """Book a room.

    Args:
        city: which city
        nights: how many
    """
    return book_room(city, nights)


@tool
def wait(seconds: int) -> str:
    """Wait.

    Args:
        seconds: how long
    """
    time.sleep(3)
    return "waited"


class SmolagentsKit(Kit):
    name = "smolagents"

    malformed = None
    starts_threads = True

    def agent(self, journal: Journal) -> Any:
        return ToolCallingAgent(
            tools=[get_weather, book, wait],
            model=ScriptedModel(journal),
            max_steps=6,
            verbosity_level=LogLevel.OFF,
        )

    async def plain(self, agent: Any, text: str) -> str:
        return str(await asyncio.to_thread(agent.run, text))


class TestSmolagents(AdapterContract):
    kit = SmolagentsKit()


@tool
def plan(stops: list[dict[str, Any]], note: Any) -> str:
    """Plan a route.

    Args:
        stops: Places to visit.
        note: A wish.
    """
    return f"{len(stops)} stops"


def test_an_agent_runs_whose_tools_have_parameters_of_any_type(tmp_path):
    agent = ToolCallingAgent([get_weather, plan], ScriptedModel(Journal()), verbosity_level=LogLevel.OFF)
    golden = rc.Golden(
        "weather Hanoi", id="any", expected_calls=(rc.ExpectedCall("get_weather", {"city": "Hanoi"}),)
    )
    run = rc.evaluate(rc.observe(agent), [golden], metrics=["tool_selection"], store=str(tmp_path / "s.db"))
    assert [result.passed for result in run.results] == [True]
