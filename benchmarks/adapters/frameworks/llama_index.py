"""LlamaIndex: FunctionAgent with OpenAILike; AgentWorkflow for the hand-off, a tool that runs the expert."""

from __future__ import annotations

from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel
from tests.limbs.adapters.script import Call

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, TRAVEL
from benchmarks.adapters.toolbox import TOOLS


class Trip(BaseModel):
    city: str
    nights: int


class LlamaIndex(Framework):
    name = "llama_index"

    def agent(self, setup: Setup) -> Any:
        def agent(name: str, **more: Any) -> FunctionAgent:
            llm = OpenAILike(
                model=setup.model(name), api_base=setup.base_url, api_key="k", **setup.client_options,
                is_chat_model=True, is_function_calling_model=True,
                additional_kwargs={"stream_options": {"include_usage": True}} if setup.shape == "streamed" else {},
            )  # fmt: skip
            tools = [*TOOLS, *more.pop("tools", [])]
            return FunctionAgent(
                name=name, description=name, llm=llm, tools=tools, system_prompt=setup.instructions(name),
                streaming=setup.shape == "streamed", **more,
            )  # fmt: skip

        if setup.shape == "sub_agent":
            expert = agent(EXPERT)

            async def ask_expert(input: str) -> str:
                """Ask the expert."""
                return str(await expert.run(user_msg=input))

            return agent(TRAVEL, tools=[FunctionTool.from_defaults(ask_expert, name=ASK_EXPERT)])
        if setup.shape == "handoff":
            team = [agent(TRAVEL, can_handoff_to=[EXPERT]), agent(EXPERT)]
            return AgentWorkflow(agents=team, root_agent=TRAVEL)
        if setup.shape == "typed_answer":
            return agent(TRAVEL, output_cls=Trip)
        if setup.shape == "limited":
            return AgentWorkflow(agents=[agent(TRAVEL)], root_agent=TRAVEL, early_stopping_method="force")
        return agent(TRAVEL)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        context = Context(agent)
        more = {}
        for text in says:
            handler = agent.run(user_msg=text, ctx=context, **more)
            result = await handler
            more = {"memory": await handler.ctx.store.get("memory", default=None)}
        return str(result.response.content)

    def spelled(self, call: Call) -> Call:
        if call.name != HAND_OVER:
            return call
        return Call("handoff", {"to_agent": EXPERT, "reason": "weather"}, call.id)


FRAMEWORK = LlamaIndex()
