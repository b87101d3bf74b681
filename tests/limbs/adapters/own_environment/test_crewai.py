"""The adapter `crewai` with the real framework, on a loopback model."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

import pytest
from crewai import LLM, Agent, Crew, Task
from crewai.project import CrewBase, agent, crew, task
from crewai.tools import tool

import rightcall as rc
from rightcall.core.errors import ConfigError
from tests.limbs.adapters.contract import AdapterContract, Kit, performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Answer, Call, Journal, book_room, respond, weather_of


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


@tool("Find the Weather")
def find_weather(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


@CrewBase
class Travel:
    """A crew whose tools have names with spaces, and whose tasks have two placeholders."""

    agents_config: dict[str, Any] = {}
    tasks_config: dict[str, Any] = {}

    @agent
    def guide(self) -> Agent:
        llm = LLM(model="openai/gpt-4o", base_url=f"{CrewKit.address}/v1", api_key="k")
        return Agent(role="guide", goal="help", backstory="{style}", llm=llm, tools=[find_weather])

    @task
    def look(self) -> Task:
        return Task(description="weather {city}", expected_output="words", agent=self.guide())

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks)


def find(said: str, turn: int) -> Answer:
    city = re.findall(r"weather (\w+)", said)[-1]
    return (
        Answer(weather_of(city)) if turn else Answer(calls=(Call("find_the_weather", {"city": city}, "c1"),))
    )


def test_an_object_of_a_crew_class_runs_like_its_crew_and_its_tools_have_the_names_that_the_model_reads():
    JOURNALS.append(Journal())
    with model_server(Everyone(), find) as CrewKit.address:
        observed = rc.observe(Travel())
        assert [tool.name for tool in observed.tools()] == ["find_the_weather"]
        both = performed(observed, "Hue", "Hanoi", with_={"inputs": {"style": "brief"}})
        own = rc.observe(Travel(), input=lambda golden: {"style": "brief", "city": golden.input})
        assert [call.arguments for call in performed(own, "Hue")[0].calls] == [{"city": "Hue"}]
    assert [c.arguments for done in both for c in done.calls] == [{"city": "Hue"}, {"city": "Hanoi"}]
    assert [done.output for done in both] == [weather_of("Hue"), weather_of("Hanoi")]


@pytest.mark.parametrize("stated", [{}, {"inputs": {}}, {"inputs": {"style": "", "city": "Hue"}}])
def test_a_crew_needs_all_inputs_but_the_one_that_is_the_text_before_a_request(stated):
    CrewKit.address = "http://127.0.0.1:1"
    with pytest.raises(ConfigError, match="city, style"):
        performed(rc.observe(Travel()), "Hue", with_=stated)
