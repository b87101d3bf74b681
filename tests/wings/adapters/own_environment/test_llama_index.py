"""The adapter `llama_index` with the real framework."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, MessageRole
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection

from tests.wings.adapters.contract import AdapterContract, Kit
from tests.wings.adapters.script import USAGE, Journal, book_room, respond, weather_of


class ScriptedLLM(FunctionCallingLLM):
    """Answers by `script.respond`, with the raw answer of a chat completion."""

    journal: Any

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True)

    def _prepare_chat_with_tools(
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **_: Any
    ) -> Any:
        return {"messages": [*(chat_history or []), *([user_msg] if user_msg else [])]}

    async def achat(self, messages: Any, **_: Any) -> ChatResponse:
        self.journal.note(messages)
        await asyncio.sleep(0)
        said, turn = "", 0
        for message in messages:
            if message.role == MessageRole.USER:
                said, turn = message.content, 0
            turn += message.role == MessageRole.ASSISTANT
        answer = respond(said, turn)
        calls = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.text}}
            for c in answer.calls
        ]
        raw = {
            "choices": [{"message": {"tool_calls": calls}}],
            "usage": {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1]},
        }
        message = ChatMessage(role="assistant", content=answer.text, additional_kwargs={"tool_calls": calls})
        return ChatResponse(message=message, raw=raw)

    def get_tool_calls_from_response(
        self, response: Any, error_on_no_tool_call: bool = True, **_: Any
    ) -> Any:
        found = []
        for call in response.message.additional_kwargs.get("tool_calls", []):
            try:
                given = json.loads(call["function"]["arguments"])
            except ValueError:
                given = {"city": None}  # what the framework's partial parser makes of it
            found.append(
                ToolSelection(tool_id=call["id"], tool_name=call["function"]["name"], tool_kwargs=given)
            )
        return found

    def chat(self, messages: Any, **_: Any) -> Any:
        raise NotImplementedError

    stream_chat = complete = stream_complete = chat

    async def astream_chat(self, messages: Any, **_: Any) -> Any:
        raise NotImplementedError

    acomplete = astream_complete = astream_chat


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


class LlamaIndexKit(Kit):
    name = "llama_index"
    malformed = "ok"

    def agent(self, journal: Journal) -> Any:
        return FunctionAgent(
            name="travel", tools=[get_weather, book, wait], llm=ScriptedLLM(journal=journal), streaming=False
        )

    async def plain(self, agent: Any, text: str) -> str:
        return str((await agent.run(user_msg=text)).response.content)


class TestLlamaIndex(AdapterContract):
    kit = LlamaIndexKit()
