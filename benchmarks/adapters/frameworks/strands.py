"""Strands Agents with its OpenAI model: `as_tool` for the expert as a tool, a Swarm for the hand-off."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel
from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent, HookProvider
from strands.models.openai import OpenAIModel
from strands.multiagent import Swarm
from tests.limbs.adapters.script import Answer, Call

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, TRAVEL
from benchmarks.adapters.toolbox import TOOLS


class Trip(BaseModel):
    """The answer."""

    city: str
    nights: int


class Strands(Framework):
    name = "strands"
    cannot: ClassVar = {"step_limit": "the limit is an option of the run, which the adapter starts"}

    def agent(self, setup: Setup) -> Any:
        def agent(name: str, **more: Any) -> Agent:
            client = {"base_url": setup.base_url, "api_key": "k", **setup.client_options}
            model = OpenAIModel(client_args=client, model_id=setup.model(name))
            return Agent(
                model, system_prompt=setup.instructions(name), name=name, callback_handler=None,
                retry_strategy=None, **{"tools": [*(tool(one) for one in TOOLS), *more.pop("tools", [])], **more},
            )  # fmt: skip

        if setup.shape == "sub_agent":
            return agent(
                TRAVEL, tools=[agent(EXPERT).as_tool(name=ASK_EXPERT, description="Ask the expert.")]
            )
        if setup.shape == "handoff":
            return Swarm([agent(TRAVEL), agent(EXPERT)])
        if setup.shape == "typed_answer":
            return agent(TRAVEL, structured_output_model=Trip)
        if setup.shape == "asking":
            return agent(TRAVEL, hooks=[_Asks()])
        return agent(TRAVEL)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        for text in says:
            result = await agent.invoke_async(text)
        return str(result).removesuffix("\n")

    def spelled(self, call: Call) -> Call:
        if call.name == HAND_OVER:
            return Call("handoff_to_agent", {"agent_name": EXPERT, "message": "Please."}, call.id)
        return call

    def spoken(self, answer: Answer, body: dict[str, Any]) -> Answer:
        """An answer with a schema comes as the call of a tool that Strands offers."""
        if not answer.text.startswith("{") or "'Trip'" not in str(body.get("tools")):
            return answer
        return Answer(calls=(Call("Trip", {"city": "Hanoi", "nights": 2}, "answer"),), usage=answer.usage)


class _Asks(HookProvider):
    """Interrupts the agent before it books."""

    def register_hooks(self, registry: Any, **more: Any) -> None:
        registry.add_callback(BeforeToolCallEvent, self._ask)

    def _ask(self, event: BeforeToolCallEvent) -> None:
        if event.tool_use["name"] == "book" and not event.interrupt("may-book", reason="a room"):
            event.cancel_tool = "no"


FRAMEWORK = Strands()
