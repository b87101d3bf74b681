"""The adapter `claude_agent_sdk` with the real package and its bundled program, on a loopback model."""

from __future__ import annotations

import os
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, create_sdk_mcp_server, tool

from tests.limbs.adapters.contract import AdapterContract, Kit
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Answer, Call, Journal, book_room, respond, weather_of


@tool("get_weather", "The weather in a city", {"city": str})
async def get_weather(given: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": weather_of(given["city"])}]}


@tool("book", "Book a room", {"city": str, "nights": int})
async def book(given: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": book_room(**given)}]}


@tool("wait", "Wait", {"seconds": int})
async def wait(given: dict[str, Any]) -> dict[str, Any]:
    import asyncio

    await asyncio.sleep(given["seconds"])
    return {"content": [{"type": "text", "text": "waited"}]}


def respond_to(said: str, turn: int) -> Answer:
    """The program knows the tools by longer names."""
    answer = respond(said.strip().splitlines()[-1].strip(), turn)
    calls = tuple(Call(f"mcp__trip__{c.name}", c.arguments, c.id) for c in answer.calls)
    return Answer(answer.text, calls)


class ClaudeKit(Kit):
    shows_tools = False
    name = "claude_agent_sdk"
    functions = False
    at_once = 8
    malformed = None
    starts_threads = True
    address = ""
    own_limit = True
    requests = None

    def agent(self, journal: Journal) -> Any:
        JOURNALS.append(journal)
        server = create_sdk_mcp_server("trip", tools=[get_weather, book, wait])
        env = {"ANTHROPIC_BASE_URL": self.address, "ANTHROPIC_API_KEY": "k", "HOME": os.environ["HOME"],
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}  # fmt: skip
        return ClaudeAgentOptions(
            mcp_servers={"trip": server}, allowed_tools=[f"mcp__trip__{name}" for name in ("get_weather", "book", "wait")],
            env=env, setting_sources=[], system_prompt="Help.", max_turns=6, tools=[],
        )  # fmt: skip

    async def plain(self, agent: Any, text: str) -> str:
        final = ""
        async with ClaudeSDKClient(options=agent) as client:
            await client.query(text)
            async for message in client.receive_response():
                final = getattr(message, "result", None) or final
        return final


JOURNALS: list[Journal] = []


class Everyone(Journal):
    """Notes for whichever agent was made last."""

    def note(self, sent: Any) -> None:
        JOURNALS[-1].note(sent)


class TestClaudeAgentSDK(AdapterContract):
    kit = ClaudeKit()

    @pytest.fixture(autouse=True)
    def server(self):
        with model_server(Everyone(), respond_to) as address:
            ClaudeKit.address = address
            yield
