"""LangGraph agents with a scripted chat model."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool

from rightcall.records import Golden
from tests.limbs.adapters.contract import Kit
from tests.limbs.adapters.script import USAGE, Answer, Call, Journal, book_room, respond, weather_of


class ScriptedChatModel(BaseChatModel):
    """Answers by `script.respond`."""

    journal: Any
    respond_to: Any = respond

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        self.journal.note(messages)
        last = max(at for at, message in enumerate(messages) if message.type == "human")
        turn = sum(message.type == "ai" for message in messages[last + 1 :])
        return ChatResult(
            generations=[ChatGeneration(message=_message(self.respond_to(messages[last].text, turn)))]
        )

    async def _agenerate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any
    ) -> ChatResult:
        await asyncio.sleep(0)  # async, so that no thread is needed for it
        return self._generate(messages)


def _message(answer: Answer) -> AIMessage:
    broken = [call for call in answer.calls if isinstance(call.arguments, str)]
    return AIMessage(
        answer.text,
        tool_calls=[_call(call) for call in answer.calls if call not in broken],
        invalid_tool_calls=[
            {**_call(call), "error": "not JSON", "type": "invalid_tool_call"} for call in broken
        ],
        usage_metadata={"input_tokens": USAGE[0], "output_tokens": USAGE[1], "total_tokens": sum(USAGE)},
        response_metadata={"finish_reason": "tool_calls" if answer.calls else "stop"},
    )


def _call(call: Call) -> dict[str, Any]:
    return {"name": call.name, "args": call.arguments, "id": call.id}


@tool
async def get_weather(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


@tool
async def book(city: str, nights: int) -> str:
    """Book a room."""
    return book_room(city, nights)


@tool
async def wait(seconds: int) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


TOOLS = [get_weather, book, wait]


class LangChainKit(Kit):
    name = "langchain"
    tool_errors_raise = True
    malformed = "not_run"

    def agent(self, journal: Journal) -> Any:
        return create_agent(ScriptedChatModel(journal=journal), tools=TOOLS)

    def limited(self, journal: Journal) -> Any:
        return self.agent(journal).with_config(recursion_limit=9)

    async def plain(self, agent: Any, text: str) -> str:
        state = await agent.ainvoke({"messages": [("user", text)]})
        return str(state["messages"][-1].text)

    def asked(self, text: str) -> Any:
        return {"messages": [("user", text)]}

    def function(self, journal: Journal) -> Any:
        graph = self.agent(journal)

        async def ask(golden: Golden) -> str:
            return await self.plain(graph, golden.input)

        return ask
