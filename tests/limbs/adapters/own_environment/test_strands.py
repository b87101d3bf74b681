"""The adapter `strands` with the real framework and its OpenAI model, against the scripted server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel
from strands import Agent, ToolContext, tool
from strands.hooks import BeforeToolCallEvent
from strands.models.openai import OpenAIModel
from strands.multiagent import Swarm

import rightcall as rc
from tests.limbs.adapters.approval_contract import asked
from tests.limbs.adapters.contract import AdapterContract, Kit, MockableTools, made, performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Answer, Call, Journal, book_room, weather_of
from tests.limbs.adapters.shared_server import served


@tool
def get_weather(city: str) -> str:
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


def agent_at(address: str, name: str = "travel", model: str = "m", **more: Any) -> Agent:
    client = {"base_url": f"{address}/v1", "api_key": "k", "max_retries": 0}
    return Agent(
        OpenAIModel(client_args=client, model_id=model), name=name, callback_handler=None, retry_strategy=None,
        **{"tools": [get_weather, book, wait], **more},
    )  # fmt: skip


def agent(journal: Journal, name: str = "travel", **more: Any) -> Agent:
    server = served(journal)
    return agent_at(server.address, name, server.model, **more)


class StrandsKit(Kit):
    name = "strands"
    own_limit = False

    def agent(self, journal: Journal) -> Agent:
        return agent(journal)

    async def plain(self, agent: Any, text: str) -> str:
        return str(await agent.invoke_async(text)).removesuffix("\n")


class TestStrands(AdapterContract, MockableTools):
    kit = StrandsKit()


def test_an_agent_used_as_a_tool_runs_inside_its_call():
    expert = agent(Journal(), name="expert")

    @tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return str(expert(f"weather {city}"))

    outer = rc.observe(agent(Journal(), tools=[get_weather, book]), calls="all")
    (trajectory,) = performed(outer, "weather Hanoi")
    calls = [(c.name, c.path, c.notes.get("parent")) for c in trajectory.calls]
    assert calls == [("get_weather", ("travel",), None), ("get_weather", ("travel", "expert"), "c1-Hanoi")]
    assert trajectory.usage.input_tokens == 400
    assert trajectory.output == "31 degrees in Hanoi."


def test_a_swarm_is_its_agents_and_the_last_one_answers():
    hand_over = Answer(calls=(Call("handoff_to_agent", {"agent_name": "expert", "message": "Hue?"}, "h1"),))
    first = [hand_over, Answer("Over.")]
    second = [Answer(calls=(Call("get_weather", {"city": "Hue"}, "c1"),)), Answer("31.")]
    with (
        model_server(Journal(), lambda said, turn: first[turn]) as one,
        model_server(Journal(), lambda said, turn: second[turn]) as two,
    ):
        swarm = Swarm([agent_at(one, "travel"), agent_at(two, "expert")])
        (trajectory,) = performed(rc.observe(swarm), "weather Hue")
    calls = [(call.name, call.status, call.agent, call.notes.get("handoff")) for call in trajectory.calls]
    assert calls == [("handoff_to_agent", "ok", "travel", "expert"), ("get_weather", "ok", "expert", None)]
    assert (trajectory.output, trajectory.stop_reason) == ("31.", "done")


@pytest.mark.parametrize("place", ["hook", "tool"])
@pytest.mark.parametrize(
    ("line", "decision", "stop", "deleted"),
    [
        (None, "waiting", "waiting_for_approval", []),
        ("approve", "approved", "done", [7]),
        ({"approve": "y"}, "approved", "done", [7]),
        ("reject", "rejected", "done", []),
    ],
)
def test_an_interrupt_is_a_request_for_approval(place, line, decision, stop, deleted):
    ran: list[int] = []

    @tool(context=True)
    def delete_account(id: int, tool_context: ToolContext) -> str:
        """Delete an account."""
        if place == "tool" and not tool_context.interrupt("sure", reason=id):
            return "kept"
        ran.append(id)
        return "deleted"

    @tool
    def list_accounts() -> str:
        """List accounts."""
        return "7"

    def ask(event: BeforeToolCallEvent) -> None:
        asks = place == "hook" and event.tool_use["name"] == "delete_account"
        if asks and not event.interrupt("sure", reason="it is gone then"):
            event.cancel_tool = "no"

    clerk = agent(Journal(), tools=[delete_account, list_accounts])
    clerk.add_hook(ask, BeforeToolCallEvent)
    seen = asked(clerk, line)
    assert (seen.stop_reason, ran, len(seen.calls)) == (stop, deleted, 2)
    assert seen.calls[0].approval is not None and seen.calls[0].approval.decision == decision


class Weather(BaseModel):
    """The answer."""

    city: str
    degrees: int


def test_the_form_of_an_answer_is_no_call():
    weather = Answer(calls=(Call("get_weather", {"city": "Hue"}, "c1"),))
    script = [weather, Answer(calls=(Call("Weather", {"city": "Hue", "degrees": 31}, "f1"),))]
    with model_server(Journal(), lambda said, turn: script[turn]) as address:
        observed = rc.observe(agent_at(address, structured_output_model=Weather))
        (trajectory,) = performed(observed, "weather Hue")
    assert made(trajectory) == [("get_weather", {"city": "Hue"}, 0, "ok")]
    assert trajectory.output == '{"city":"Hue","degrees":31}'


def test_the_agents_conversation_is_as_it_was():
    shared = agent(Journal(), messages=[{"role": "user", "content": [{"text": "Remember Hue."}]}])
    before = [dict(message) for message in shared.messages]
    performed(rc.observe(shared), "weather Hanoi", "weather Dalat")
    assert shared.messages == before


def test_being_observed_changes_no_request():
    apart = Journal()
    watched = Journal()
    asyncio.run(agent(apart).invoke_async("trip Hanoi"))
    performed(rc.observe(agent(watched)), "trip Hanoi")
    names = [served(journal).model for journal in (apart, watched)]
    assert [r.replace(names[0], names[1]) for r in apart.requests] == watched.requests
