"""The adapter `google_adk` with the real framework."""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from tests.adapters.contract import AdapterContract, Kit, MockableTools
from tests.adapters.script import USAGE, Journal, book_room, respond, weather_of


class ScriptedLlm(BaseLlm):
    """Answers by `script.respond`."""

    journal: Any

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        self.journal.note(llm_request)
        await asyncio.sleep(0)
        said, turn = "", 0
        for content in llm_request.contents:
            words = [part.text for part in content.parts if part.text]
            if content.role == "user" and words:
                said, turn = words[0], 0
            turn += content.role == "model"
        answer = respond(said, turn)
        parts = [types.Part(text=answer.text)] if answer.text else []
        for call in answer.calls:
            made = types.FunctionCall(id=call.id, name=call.name, args=call.arguments)
            parts.append(types.Part(function_call=made))
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=USAGE[0], candidates_token_count=USAGE[1]
        )
        yield LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=usage)


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


class AdkKit(Kit):
    name = "google_adk"
    tool_errors_raise = True
    functions = False
    malformed = None
    own_limit = False

    def agent(self, journal: Journal) -> Any:
        return LlmAgent(
            name="travel", model=ScriptedLlm(model="m", journal=journal), tools=[get_weather, book, wait]
        )

    async def plain(self, agent: Any, text: str) -> str:
        runner = InMemoryRunner(agent=agent, app_name="plain")
        session = await runner.session_service.create_session(app_name="plain", user_id="u")
        message, final = types.Content(role="user", parts=[types.Part(text=text)]), ""
        async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            if event.is_final_response():
                final = event.content.parts[0].text
        return final


class TestGoogleADK(AdapterContract, MockableTools):
    kit = AdkKit()
