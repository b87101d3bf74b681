"""Anthropic SDK: the loop of the tool use guide on messages; the expert is another loop."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import anthropic

import rightcall as rc
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, STEPS, TRAVEL
from benchmarks.adapters.schemas import SCHEMAS
from benchmarks.adapters.toolbox import run_tool

TOOLS: Any = [{"name": n, "description": n, "input_schema": s} for n, s in SCHEMAS.items()]


class AgentMaxStepsError(Exception):
    """The loop's own limit."""


class Loop:
    """A conversation of the user's own making; called with a golden for every turn."""

    def __init__(self, setup: Setup, client: anthropic.AsyncAnthropic) -> None:
        self.setup = setup
        self.client = client
        self.histories: dict[str, list[Any]] = {}

    async def __call__(self, golden: rc.Golden) -> str:
        return await self.run(TRAVEL, golden.input)

    async def run(self, agent: str, text: str) -> str:
        messages = self.histories.setdefault(agent, [])
        messages.append({"role": "user", "content": text})
        for _ in range(STEPS if self.setup.shape == "limited" else 10):
            reply = await self.ask(agent, messages)
            messages.append({"role": "assistant", "content": reply.content})
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in reply.content if block.type == "text")
            results = []
            for call in calls:
                agent = EXPERT if call.name == HAND_OVER else agent
                results.append(await self.result(call))
            messages.append({"role": "user", "content": results})
        raise AgentMaxStepsError("the loop's limit")

    async def ask(self, agent: str, messages: list[Any]) -> Any:
        asked: Any = {
            "model": self.setup.model(agent), "max_tokens": 100, "messages": messages, "tools": TOOLS,
            "system": self.setup.instructions(agent),
        }  # fmt: skip
        if self.setup.shape != "streamed":
            return await self.client.messages.create(**asked)
        async with self.client.messages.stream(**asked) as stream:
            return await stream.get_final_message()

    async def result(self, call: Any) -> dict[str, Any]:
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id}
        try:
            if call.name == HAND_OVER:
                return result | {"content": "You are the expert now."}
            if call.name == ASK_EXPERT:
                return result | {"content": await self.run(EXPERT, call.input["input"])}
            return result | {"content": json.dumps(run_tool(call.name, call.input), ensure_ascii=False)}
        except Exception as error:
            return result | {"content": repr(error), "is_error": True}


class AnthropicLoop(Framework):
    name = "anthropic"
    cannot: ClassVar = {
        "broken_json": "the API sends arguments as an object",
        "no_usage": "the API always reports usage",
    }

    limits: ClassVar = {
        "step_limit": "calls in the last answer have no result unless another request follows",
        "sub_agent": "a loop that a tool runs is not told apart: its calls are the agent's own and have no parent",
    }

    def agent(self, setup: Setup) -> Loop:
        client = anthropic.AsyncAnthropic(base_url=setup.address, api_key="k", **setup.client_options)
        return Loop(setup, self.kept(client))

    def stateless_agent(self, setup: Setup) -> Any:
        client = self.agent(setup).client

        async def fresh_loop(golden: rc.Golden) -> str:
            return await Loop(setup, client)(golden)

        return fresh_loop

    def observed(self, agent: Any, **options: Any) -> Any:
        return rc.observe(agent, via="anthropic", **options)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        for text in says:
            answer = await agent(rc.Golden(text, id="plain"))
        return answer


FRAMEWORK = AnthropicLoop()
