"""The adapter `agent_framework` with the real framework."""

from __future__ import annotations

import asyncio
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)

from tests.limbs.adapters.approval_contract import ApprovalContract
from tests.limbs.adapters.contract import AdapterContract, Kit, MockableTools
from tests.limbs.adapters.script import USAGE, Journal, book_room, respond, weather_of


class ScriptedClient(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """Answers by `script.respond`."""

    def __init__(self, journal: Journal, **more: Any) -> None:
        super().__init__(**more)
        self._journal = journal

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        async def answer() -> ChatResponse:
            self._journal.note([message.to_dict() for message in messages])
            await asyncio.sleep(0)
            said = ""
            turn = 0
            for message in messages:
                if str(message.role) == "user":
                    said = message.text
                    turn = 0
                turn += str(message.role) == "assistant"
            made = respond(said, turn)
            contents = [Content.from_text(made.text)] if made.text else []
            contents += [Content.from_function_call(c.id, c.name, arguments=c.text) for c in made.calls]
            usage = {"input_token_count": USAGE[0], "output_token_count": USAGE[1]}
            return ChatResponse(messages=[Message("assistant", contents)], usage_details=usage)

        return answer()


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


class AgentFrameworkKit(Kit):
    name = "agent_framework"

    def agent(self, journal: Journal) -> Any:
        return Agent(ScriptedClient(journal), name="travel", tools=[get_weather, book, wait])

    async def plain(self, agent: Any, text: str) -> str:
        return str((await agent.run(text)).text)


class TestAgentFramework(AdapterContract, MockableTools):
    kit = AgentFrameworkKit()


class TestApprovals(ApprovalContract):
    def asking(self, journal: Journal, ran: list[int], *, needs: bool = True) -> Any:
        @tool(approval_mode="always_require" if needs else "never_require")
        async def delete_account(id: int) -> str:
            """Delete an account."""
            ran.append(id)
            return "deleted"

        @tool(approval_mode="never_require")
        async def list_accounts() -> str:
            """List accounts."""
            return "7"

        return Agent(ScriptedClient(journal), name="clerk", tools=[delete_account, list_accounts])

    def eager(self, journal: Journal, ran: list[int]) -> Any:
        return self.asking(journal, ran, needs=False)
