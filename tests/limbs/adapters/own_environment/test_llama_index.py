"""The adapter `llama_index` with the real framework."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from llama_index.core.agent.workflow import CodeActAgent, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, MessageRole
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel

import rightcall as rc
from rightcall.core.errors import ConfigError
from tests.limbs.adapters.contract import AdapterContract, Kit, performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import USAGE, Answer, Journal, book_room, respond, weather_of


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
        said = ""
        turn = 0
        for message in messages:
            if message.role == MessageRole.USER:
                said = message.content
                turn = 0
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


def test_an_agent_that_calls_its_tools_in_code_is_refused_before_a_request():
    journal = Journal()

    def agent() -> CodeActAgent:
        return CodeActAgent(code_execute_fn=print, tools=[weather], llm=ScriptedLLM(journal=journal))

    async def ask(golden: rc.Golden) -> str:
        return str(await agent().run(user_msg=golden.input))

    for target in (agent(), ask):
        with pytest.raises(ConfigError, match="inside your code_execute_fn, where they cannot be heard"):
            performed(rc.observe(target), "weather Hue")
    assert journal.requests == []


def weather(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


class Report(BaseModel):
    city: str
    degrees: int


def test_what_an_agent_asks_a_client_to_structure_its_answer_is_no_call():
    def respond_here(said: str, turn: int) -> Answer:
        return respond(said, turn) if turn == 0 else Answer('{"city": "Hue", "degrees": 31}')

    with model_server(Journal(), respond_here) as address:
        llm = OpenAILike(
            model="m",
            api_base=f"{address}/v1",
            api_key="k",
            is_chat_model=True,
            is_function_calling_model=True,
        )
        agent = FunctionAgent(tools=[weather], llm=llm, streaming=False, output_cls=Report)
        agent.tools[0].metadata.name = "get_weather"
        (trajectory,) = performed(rc.observe(agent), "weather Hue")
    assert [(call.name, call.status) for call in trajectory.calls] == [("get_weather", "ok")]
    assert trajectory.messages[0].content == "weather Hue"
