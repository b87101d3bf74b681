"""Pydantic AI; delegation and hand-off by tools that run another agent, as its multi-agent page shows."""

from __future__ import annotations

from typing import Any, ClassVar

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, Tool, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import rightcall as rc
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, STEPS, TRAVEL
from benchmarks.adapters.toolbox import SAFE_TOOLS, TOOLS, book


class Trip(BaseModel):
    city: str
    nights: int


def build(setup: Setup, client: AsyncOpenAI) -> Agent[None, Any]:
    def agent(name: str, **more: Any) -> Agent[None, Any]:
        model = OpenAIChatModel(setup.model(name), provider=OpenAIProvider(openai_client=client))
        more.setdefault("tools", TOOLS)
        return Agent(model, name=name, instructions=setup.instructions(name), **more)

    if setup.shape == "asking":
        asking = Tool(book, requires_approval=True)
        return agent(TRAVEL, tools=[*SAFE_TOOLS, asking], output_type=[str, DeferredToolRequests])
    if setup.shape == "typed_answer":
        from pydantic_ai import NativeOutput

        return agent(TRAVEL, output_type=NativeOutput(Trip))
    outer = agent(TRAVEL)
    if setup.shape == "sub_agent":
        expert = agent(EXPERT)

        async def ask_expert(input: str) -> str:
            """Ask the expert."""
            return str((await expert.run(input)).output)

        outer.tool_plain(ask_expert, name=ASK_EXPERT)
    return outer


class PydanticAI(Framework):
    name = "pydantic_ai"
    cannot: ClassVar = {"handoff": "agents hand over in the program that runs them, not by a call"}

    def agent(self, setup: Setup) -> Any:
        agent = build(
            setup, self.kept(AsyncOpenAI(base_url=setup.base_url, api_key="k", **setup.client_options))
        )
        if setup.shape == "limited":

            async def limited(golden: rc.Golden) -> Any:
                limits = UsageLimits(request_limit=STEPS)
                return (await agent.run(golden.input, usage_limits=limits)).output

            return limited
        if setup.shape == "streamed":

            async def streamed(golden: rc.Golden) -> Any:
                async with agent.run_stream(golden.input) as result:
                    return await result.get_output()

            return streamed
        return agent

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        if not isinstance(agent, Agent):
            return await agent(rc.Golden(says[0], id="plain"))
        history: list[Any] = []
        for text in says:
            result = await agent.run(text, message_history=history or None)
            history = result.all_messages()
        return result.output


FRAMEWORK = PydanticAI()
