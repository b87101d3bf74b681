"""Agents of the OpenAI Agents SDK with a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

from agents.models.interface import Model
from agents.testing import assistant_message, function_call
from openai.types.responses import Response, ResponseCompletedEvent

from agents import Agent, ModelResponse, Runner, Usage, function_tool, set_trace_processors
from tests.limbs.adapters.contract import Kit
from tests.limbs.adapters.script import USAGE, Answer, Journal, book_room, respond, weather_of

set_trace_processors([])  # spans are made, nothing is sent


class ScriptedAgentsModel(Model):
    """Answers by `script.respond`, to any number of runs at once."""

    def __init__(self, journal: Journal, respond_to: Any = respond) -> None:
        self._journal = journal
        self._respond = respond_to

    async def get_response(
        self, system_instructions: Any, input: Any, *args: Any, **more: Any
    ) -> ModelResponse:
        self._journal.note((system_instructions, input))
        await asyncio.sleep(0)
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        last = max(at for at, item in enumerate(items) if item.get("role") == "user")
        since = items[last + 1 :]
        turn = _answers(since)
        answer = self._respond(items[last]["content"], turn)
        return ModelResponse(
            _output(answer),
            Usage(requests=1, input_tokens=USAGE[0], output_tokens=USAGE[1], total_tokens=sum(USAGE)),
            None,
        )

    async def stream_response(self, *args: Any, **more: Any) -> Any:
        response = await self.get_response(*args, **more)
        usage = {"input_tokens": USAGE[0], "output_tokens": USAGE[1], "total_tokens": sum(USAGE),
                 "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                 "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
        whole = Response(
            id="r", created_at=0, model="scripted", object="response", output=response.output, tool_choice="auto",
            tools=[], parallel_tool_calls=True, usage=usage,
        )  # fmt: skip
        yield ResponseCompletedEvent(response=whole, type="response.completed", sequence_number=0)


def _answers(since: Any) -> int:
    """How many answers a list of items holds: a run of items of the model is one."""
    count = 0
    inside = False
    for item in since:
        own = item.get("type") in ("function_call", "message") and item.get("role") != "user"
        count += own and not inside
        inside = own
    return count


def _output(answer: Answer) -> list[Any]:
    spoken = [assistant_message(answer.text)] if answer.text else []
    return [*spoken, *(function_call(c.name, c.text, call_id=c.id) for c in answer.calls)]


@function_tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


@function_tool
def book(city: str, nights: int) -> str:
    """Book a room."""
    return book_room(city, nights)


@function_tool
async def wait(seconds: int) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


TOOLS = [get_weather, book, wait]


class OpenAIAgentsKit(Kit):
    name = "openai_agents"
    unknown_tool = "raises"

    def agent(self, journal: Journal) -> Any:
        return Agent("travel", instructions="Help.", tools=list(TOOLS), model=ScriptedAgentsModel(journal))

    async def plain(self, agent: Any, text: str) -> str:
        return str((await Runner.run(agent, text)).final_output)
