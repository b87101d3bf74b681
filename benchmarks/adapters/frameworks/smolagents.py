"""smolagents: ToolCallingAgent with OpenAIModel; the expert is a managed agent."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from smolagents import LogLevel, OpenAIModel, ToolCallingAgent, tool
from tests.limbs.adapters.script import Answer, Call

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, STEPS, TRAVEL
from benchmarks.adapters.toolbox import book, forecast, get_weather, plan_route


@tool
def plan_any_route(stops: list[dict[str, Any]], notes: list[str]) -> str:
    """Plan a route.

    Args:
        stops: Places to visit, in order.
        notes: Wishes of the traveller.
    """
    return plan_route(stops, notes)  # type: ignore[arg-type]


plan_any_route.name = "plan_route"
TOOLS = [tool(get_weather), tool(forecast), plan_any_route, tool(book)]


class Smolagents(Framework):
    name = "smolagents"
    cannot: ClassVar = {
        "handoff": "agents are tools of one another; they do not hand over",
        "typed_answer": "a tool-calling agent has no schema for its answer",
        "no_usage": "its model classes need the usage and raise without it",
    }

    def agent(self, setup: Setup) -> Any:
        def agent(which: str, **more: Any) -> ToolCallingAgent:
            model = OpenAIModel(
                setup.model(which),
                api_base=setup.base_url,
                api_key="k",
                retry=False,
                client_kwargs=setup.client_options,
            )
            return ToolCallingAgent(
                tools=list(TOOLS), model=model, instructions=setup.instructions(which),
                max_steps=STEPS if setup.shape == "limited" else 8, verbosity_level=LogLevel.OFF,
                stream_outputs=setup.shape == "streamed", **more,
            )  # fmt: skip

        if setup.shape == "sub_agent":
            return agent(TRAVEL, managed_agents=[agent(EXPERT, name=EXPERT, description="An expert.")])
        return agent(TRAVEL)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        for turn, text in enumerate(says):
            result = await asyncio.to_thread(agent.run, text, reset=turn == 0, return_full_result=True)
        return result.output

    def spelled(self, call: Call) -> Call:
        return Call(EXPERT, {"task": call.arguments["input"]}, call.id) if call.name == ASK_EXPERT else call

    def spoken(self, answer: Answer, body: dict[str, Any]) -> Answer:
        if answer.calls or answer.cut or answer.ending or "tools" not in body:
            return answer
        final = Call("final_answer", {"answer": answer.text}, "final")
        return Answer(calls=(final,), usage=answer.usage, cached=answer.cached)


FRAMEWORK = Smolagents()
