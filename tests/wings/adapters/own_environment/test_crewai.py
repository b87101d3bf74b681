"""The adapter `crewai` with the real framework, on a loopback model."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from crewai import LLM, Agent
from crewai.tools import tool

from tests.wings.adapters.contract import AdapterContract, Kit
from tests.wings.adapters.model_server import model_server
from tests.wings.adapters.script import Journal, book_room, respond, weather_of


@tool("get_weather")
def get_weather(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


@tool("book")
def book(city: str, nights: int) -> str:
    """Book a room."""
    return book_room(city, nights)


@tool("wait")
def wait(seconds: int) -> str:
    """Wait."""
    time.sleep(3)
    return "waited"


class CrewKit(Kit):
    name = "crewai"
    functions = False

    ids = True
    starts_threads = True
    address = ""
    malformed = None

    def agent(self, journal: Journal) -> Any:
        JOURNALS.append(journal)
        llm = LLM(model="openai/gpt-4o", base_url=f"{self.address}/v1", api_key="k")
        return Agent(
            role="travel",
            goal="help",
            backstory="helper",
            llm=llm,
            tools=[get_weather, book, wait],
            max_iter=6,
        )

    async def plain(self, agent: Any, text: str) -> str:
        return str((await asyncio.to_thread(agent.kickoff, text)).raw)


JOURNALS: list[Journal] = []


class Everyone(Journal):
    """Notes for whichever agent was made last."""

    def note(self, sent: Any) -> None:
        JOURNALS[-1].note(sent)


def respond_to(said: str, turn: int) -> Any:
    """CrewAI wraps the user's text in its own prompt."""
    words = said.strip().splitlines()
    found = next((line for line in words if line.split(" ")[0] in KINDS), said)
    return respond(found.removeprefix("Current Task: "), turn)


KINDS = ("trip", "weather", "unknown", "malformed", "loop", "slow", "Current")


class TestCrewAI(AdapterContract):
    kit = CrewKit()

    @pytest.fixture(autouse=True)
    def server(self):
        with model_server(Everyone(), respond_to) as address:
            CrewKit.address = address
            yield
