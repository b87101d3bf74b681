"""CrewAI with its OpenAI client: an agent alone, a crew with delegation for the expert."""

from __future__ import annotations

import asyncio
import os
from typing import Any, ClassVar

os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")
os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from pydantic import BaseModel
from tests.limbs.adapters.script import Call

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, STEPS, TRAVEL
from benchmarks.adapters.toolbox import TOOLS


class Trip(BaseModel):
    city: str
    nights: int


class CrewAI(Framework):
    name = "crewai"
    cannot: ClassVar = {"handoff": "agents delegate and get the result back; they do not hand over"}

    def agent(self, setup: Setup) -> Any:
        def agent(name: str, **more: Any) -> Agent:
            llm = LLM(
                model=f"openai/{setup.model(name)}", base_url=setup.base_url, api_key="k", **setup.client_options,
                stream=setup.shape == "streamed",
            )  # fmt: skip
            return Agent(
                role=name, goal="Help travellers", backstory=setup.instructions(name), llm=llm,
                tools=[tool(one.__name__)(one) for one in TOOLS],
                max_iter=STEPS if setup.shape == "limited" else 8, max_retry_limit=0, **more,
            )  # fmt: skip

        if setup.shape == "sub_agent":
            agents = [agent(TRAVEL, allow_delegation=True), agent(EXPERT)]
            task = Task(description="{input}", expected_output="An answer", agent=agents[0])
            return Crew(agents=agents, tasks=[task])
        if setup.shape == "typed_answer":
            outer = agent(TRAVEL)
            task = Task(description="{input}", expected_output="A trip", agent=outer, output_pydantic=Trip)
            return Crew(agents=[outer], tasks=[task])
        return agent(TRAVEL)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        messages: list[dict[str, str]] = []
        for text in says:
            if isinstance(agent, Crew):
                result = await asyncio.to_thread(agent.kickoff, inputs={"input": text})
            else:
                messages.append({"role": "user", "content": text})
                result = await asyncio.to_thread(agent.kickoff, list(messages))
                messages.append({"role": "assistant", "content": result.raw})
        return result.raw

    def spelled(self, call: Call) -> Call:
        if call.name != ASK_EXPERT:
            return call
        given = {"task": call.arguments["input"], "context": "none", "coworker": EXPERT}
        return Call("delegate_work_to_coworker", given, call.id)


FRAMEWORK = CrewAI()
