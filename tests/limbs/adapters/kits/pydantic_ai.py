"""Agents of Pydantic AI with a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage

from tests.limbs.adapters.contract import Kit
from tests.limbs.adapters.script import USAGE, Journal, book_room, respond, weather_of


def scripted_model(journal: Journal, respond_to: Any = respond) -> FunctionModel:
    """Answers by `script.respond`."""

    async def answer(messages: Any, info: Any) -> ModelResponse:
        journal.note(messages)
        await asyncio.sleep(0)
        said = ""
        turn = 0
        for message in messages:
            if isinstance(message, ModelRequest):
                for part in message.parts:
                    if part.part_kind == "user-prompt":
                        said = str(part.content)
                        turn = 0
            else:
                turn += 1
        made = respond_to(said, turn)
        parts = [TextPart(made.text)] if made.text else []
        calls = [ToolCallPart(call.name, call.text, call.id) for call in made.calls]
        return ModelResponse(
            [*parts, *calls], usage=RequestUsage(input_tokens=USAGE[0], output_tokens=USAGE[1])
        )

    return FunctionModel(answer)


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


TOOLS = [get_weather, book, wait]


class PydanticAIKit(Kit):
    name = "pydantic_ai"
    tool_errors_raise = True

    def agent(self, journal: Journal) -> Any:
        return Agent(scripted_model(journal), tools=TOOLS, name="travel")

    async def plain(self, agent: Any, text: str) -> str:
        return str((await agent.run(text)).output)
