"""OpenAI Agents SDK on chat completions: function tools, an agent as a tool, a hand-off."""

from __future__ import annotations

from typing import Any, ClassVar

from openai import AsyncOpenAI
from pydantic import BaseModel
from tests.limbs.adapters.script import Call

import rightcall as rc
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, STEPS, TRAVEL
from benchmarks.adapters.toolbox import TOOLS, book


class Trip(BaseModel):
    city: str
    nights: int


def build(setup: Setup, client: AsyncOpenAI, kind: type[Any]) -> Agent:

    def agent(name: str, **more: Any) -> Agent:
        asks = setup.shape == "asking"
        tools = [function_tool(tool, needs_approval=asks and tool is book) for tool in TOOLS] + more.pop(
            "tools", []
        )
        model = kind(model=setup.model(name), openai_client=client)
        return Agent(name=name, instructions=setup.instructions(name), model=model, tools=tools, **more)

    if setup.shape == "sub_agent":
        return agent(TRAVEL, tools=[agent(EXPERT).as_tool(ASK_EXPERT, "Ask the expert.")])
    if setup.shape == "handoff":
        return agent(TRAVEL, handoffs=[agent(EXPERT)])
    if setup.shape == "typed_answer":
        return agent(TRAVEL, output_type=Trip)
    return agent(TRAVEL)


class OpenAIAgents(Framework):
    name = "openai_agents"
    model: ClassVar[type[Any]] = OpenAIChatCompletionsModel

    def agent(self, setup: Setup) -> Any:
        client = self.kept(AsyncOpenAI(base_url=setup.base_url, api_key="k", **setup.client_options))
        agent = build(setup, client, self.model)
        if setup.shape == "limited":

            async def limited(golden: rc.Golden) -> Any:
                return (await Runner.run(agent, golden.input, max_turns=STEPS)).final_output

            return limited
        if setup.shape == "streamed":

            async def streamed(golden: rc.Golden) -> Any:
                result = Runner.run_streamed(agent, golden.input)
                async for _ in result.stream_events():
                    pass
                return result.final_output

            return streamed
        return agent

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        if not isinstance(agent, Agent):
            return await agent(rc.Golden(says[0], id="plain"))
        items: list[Any] = []
        for text in says:
            given: Any = [*items, {"role": "user", "content": text}] if items else text
            result = await Runner.run(agent, given)
            items = result.to_input_list()
            agent = result.last_agent
        return result.final_output

    def spelled(self, call: Call) -> Call:
        return Call(f"transfer_to_{EXPERT}", {}, call.id) if call.name == HAND_OVER else call


FRAMEWORK = OpenAIAgents()
