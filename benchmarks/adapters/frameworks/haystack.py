"""Haystack's Agent with its OpenAI generator; the expert is a tool that runs another agent."""

from __future__ import annotations

from typing import Any, ClassVar

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function, tool
from haystack.utils import Secret

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, STEPS, TRAVEL
from benchmarks.adapters.toolbox import TOOLS


class Haystack(Framework):
    name = "haystack"
    cannot: ClassVar = {
        "handoff": "agents are components; one that hands over is a pipeline of the user's own"
    }
    limits: ClassVar = {
        "broken_json": "calls whose arguments are not JSON are dropped by the chat generators and are not visible"
    }

    def agent(self, setup: Setup) -> Any:
        def agent(name: str, *extra: Any) -> Agent:
            generator = OpenAIChatGenerator(
                Secret.from_token("k"), setup.model(name), api_base_url=setup.base_url, **setup.client_options,
                tools_strict=setup.shape == "typed_answer",
                streaming_callback=_ignore if setup.shape == "streamed" else None,
                generation_kwargs={
                    **({"response_format": {"type": "json_object"}} if setup.shape == "typed_answer" else {}),
                    **({"stream_options": {"include_usage": True}} if setup.shape == "streamed" else {}),
                },
            )  # fmt: skip
            tools = [*(create_tool_from_function(one) for one in TOOLS), *extra]
            steps = STEPS if setup.shape == "limited" else 20
            return Agent(
                chat_generator=generator,
                system_prompt=setup.instructions(name),
                tools=tools,
                max_agent_steps=steps,
            )

        if setup.shape == "sub_agent":
            expert = agent(EXPERT)

            @tool(name=ASK_EXPERT)
            async def ask_expert(input: str) -> str:
                """Ask the expert."""
                result = await expert.run_async(messages=[ChatMessage.from_user(input)])
                return str(result["last_message"].text)

            return agent(TRAVEL, ask_expert)
        return agent(TRAVEL)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        history: list[Any] = []
        for text in says:
            result = await agent.run_async(messages=[*history, ChatMessage.from_user(text)])
            history = [message for message in result["messages"] if message.role.value != "system"]
        return result["last_message"].text


async def _ignore(chunk: Any) -> None:
    """A stream needs a reader."""


FRAMEWORK = Haystack()
