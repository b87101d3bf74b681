"""Microsoft Agent Framework with its chat completions client; the expert as a tool by `as_tool`."""

from __future__ import annotations

from typing import Any, ClassVar

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI
from pydantic import BaseModel

import rightcall as rc
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, STEPS, TRAVEL
from benchmarks.adapters.toolbox import SAFE_TOOLS, book


class Trip(BaseModel):
    city: str
    nights: int


class AgentFramework(Framework):
    name = "agent_framework"
    cannot: ClassVar = {
        "handoff": "agents hand over in a workflow, which is not an agent",
    }

    def agent(self, setup: Setup) -> Any:
        openai = self.kept(AsyncOpenAI(base_url=setup.base_url, api_key="k", **setup.client_options))

        def agent(name: str, **more: Any) -> Agent:
            client = OpenAIChatCompletionClient(model=setup.model(name), async_client=openai)
            if setup.shape == "limited":
                client.function_invocation_configuration["max_iterations"] = STEPS
            asking = tool(
                book, approval_mode="always_require" if setup.shape == "asking" else "never_require"
            )
            tools = [*SAFE_TOOLS, asking, *more.pop("tools", [])]
            return Agent(client, setup.instructions(name), name=name, tools=tools, **more)

        if setup.shape == "sub_agent":
            inner = agent(EXPERT).as_tool(name=ASK_EXPERT, description="Ask the expert.", arg_name="input")
            return agent(TRAVEL, tools=[inner])
        if setup.shape == "streamed":
            streaming = agent(TRAVEL)

            async def streamed(golden: rc.Golden) -> str:
                stream = streaming.run(golden.input, stream=True)
                async for _ in stream:
                    pass
                return str((await stream.get_final_response()).text).removeprefix("Let me see.")

            return streamed
        if setup.shape == "typed_answer":
            return agent(TRAVEL, default_options={"response_format": Trip})
        return agent(TRAVEL)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        if not isinstance(agent, Agent):
            return await agent(rc.Golden(says[0], id="plain"))
        session = agent.create_session()
        for text in says:
            result = await agent.run(text, session=session)
        return result.text


FRAMEWORK = AgentFramework()
