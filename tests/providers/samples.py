"""Requests the tests ask with."""

from __future__ import annotations

import asyncio
from typing import Any

from rightcall.providers.base import ModelReply, ModelRequest, Prompt, Provider, Settings
from rightcall.records import Message, Tool, ToolCall, ToolResult

WEATHER = Tool(
    "get_weather",
    "Current weather for a city.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "units": {"enum": ["celsius", "fahrenheit"]}},
        "required": ["city"],
    },
)
DELETE = Tool(
    "delete_account",
    "Delete a user's account for good.",
    {"type": "object", "properties": {"account_id": {"type": "string"}}, "required": ["account_id"]},
)
PROMPT = Prompt(
    "You are a weather assistant.",
    (WEATHER, DELETE),
    Settings(temperature=0, max_tokens=256, parallel_calls=True),
)

CONVERSATION = (
    Message("user", "Compare Huế with 北京"),
    Message(
        "assistant",
        "Looking.",
        (
            _ := (
                ToolCall("get_weather", {"city": "Huế"}, "c1"),
                ToolCall("get_weather", {"city": "北京"}, "c2"),
            )
        ),
    ),
    Message(
        "tool", results=(ToolResult("c1", {"celsius": 31}), ToolResult("c2", "no such city", is_error=True))
    ),
    Message("user", "And now?"),
)


def a_request(text: str = "How warm is it in Hue?", prompt: Prompt = PROMPT, **rest: Any) -> ModelRequest:
    return ModelRequest(prompt, (Message("user", text),), **rest)


def ask(provider: Provider, request: ModelRequest | None = None) -> ModelReply:
    """One question to a provider, which is closed afterwards."""

    async def once() -> ModelReply:
        async with provider:
            return await provider.complete(request or a_request())

    return asyncio.run(once())
