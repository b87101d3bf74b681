"""AutoGen AgentChat with its OpenAI client: AgentTool for the expert as a tool, a Swarm for the hand-off."""

from __future__ import annotations

from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import Swarm
from autogen_agentchat.tools import AgentTool
from autogen_core.tools import FunctionTool
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel
from tests.limbs.adapters.script import Call

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, STEPS, TRAVEL
from benchmarks.adapters.toolbox import TOOLS, plan_route


class Trip(BaseModel):
    city: str
    nights: int


class AutoGen(Framework):
    name = "autogen"

    def agent(self, setup: Setup) -> Any:
        def agent(name: str, **more: Any) -> AssistantAgent:
            client = OpenAIChatCompletionClient(
                model=setup.model(name), base_url=setup.base_url, api_key="k", **setup.client_options,
                model_info={
                    "vision": False, "function_calling": True, "json_output": True, "family": "unknown",
                    "structured_output": True,
                },
                **({"include_name_in_message": True}),
                **({"parallel_tool_calls": False} if setup.shape == "sub_agent" else {}),
            )  # fmt: skip
            steps = STEPS if setup.shape == "limited" else 1 if setup.shape == "handoff" else 8
            typed = setup.shape == "typed_answer"  # strict tools are needed beside an answer with a schema
            own = [
                FunctionTool(tool, tool.__doc__ or "", strict=typed)
                for tool in TOOLS
                if not (typed and tool is plan_route)
            ]
            tools = [*own, *more.pop("tools", [])]
            return AssistantAgent(
                name, client, tools=tools, system_message=setup.instructions(name), description=name,
                max_tool_iterations=steps, model_client_stream=setup.shape == "streamed", **more,
            )  # fmt: skip

        if setup.shape == "sub_agent":
            return agent(TRAVEL, tools=[AgentTool(agent(EXPERT), return_value_as_last_message=True)])
        if setup.shape == "handoff":
            team = [agent(TRAVEL, handoffs=[EXPERT]), agent(EXPERT)]
            return Swarm(team, termination_condition=TextMentionTermination("31 in Hue."), max_turns=9)
        if setup.shape == "typed_answer":
            return agent(TRAVEL, output_content_type=Trip)
        return agent(TRAVEL)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        await _reset(agent)
        for text in says:
            async for item in agent.run_stream(task=text):
                last = item
        return last.messages[-1].to_model_text()

    def spelled(self, call: Call) -> Call:
        if call.name == ASK_EXPERT:
            return Call(EXPERT, {"task": call.arguments["input"]}, call.id)
        return Call(f"transfer_to_{EXPERT}", {}, call.id) if call.name == HAND_OVER else call


async def _reset(agent: Any) -> None:
    """As the adapter does, because the object holds the conversation."""
    if isinstance(agent, AssistantAgent):
        from autogen_core import CancellationToken

        await agent.on_reset(CancellationToken())
    else:
        await agent.reset()


FRAMEWORK = AutoGen()
