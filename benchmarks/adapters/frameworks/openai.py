"""OpenAI SDK: the loop of the function calling guide, on chat completions; the expert is another loop."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import openai

import rightcall as rc
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, STEPS, TRAVEL
from benchmarks.adapters.schemas import SCHEMAS
from benchmarks.adapters.toolbox import run_tool

TOOLS: Any = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in SCHEMAS.items()]


class Loop:
    """A conversation of the user's own making; called with a golden for every turn."""

    def __init__(self, setup: Setup, client: openai.AsyncOpenAI) -> None:
        self.setup = setup
        self.client = client
        self.histories: dict[str, list[Any]] = {}
        self.agent = TRAVEL

    async def __call__(self, golden: rc.Golden) -> str:
        return await self.run(TRAVEL, golden.input)

    async def run(self, agent: str, text: str) -> str:
        messages = self.histories.setdefault(
            agent, [{"role": "system", "content": self.setup.instructions(agent)}]
        )
        messages.append({"role": "user", "content": text})
        for _ in range(STEPS if self.setup.shape == "limited" else 10):
            reply = await self.ask(agent, messages)
            messages.append(reply)
            calls = reply.get("tool_calls")
            if not calls:
                return str(reply["content"])
            for call in calls:
                if call["function"]["name"] == HAND_OVER:
                    agent = EXPERT
                output = await self.result(call["function"]["name"], call["function"]["arguments"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
        raise AgentMaxStepsError("the loop's limit")

    async def ask(self, agent: str, messages: list[Any]) -> dict[str, Any]:
        more: Any = {}
        if self.setup.shape == "typed_answer":
            more["response_format"] = {"type": "json_object"}
        if self.setup.shape != "streamed":
            whole = await self.client.chat.completions.create(
                model=self.setup.model(agent), messages=messages, tools=TOOLS, **more
            )
            return whole.choices[0].message.model_dump(exclude_none=True)
        async with self.client.chat.completions.stream(
            model=self.setup.model(agent), messages=messages, tools=TOOLS,
            stream_options={"include_usage": True},
        ) as stream:  # fmt: skip
            return (await stream.get_final_completion()).choices[0].message.model_dump(exclude_none=True)

    async def result(self, name: str, arguments: str) -> str:
        if name == HAND_OVER:
            return "You are the expert now."
        try:
            given = json.loads(arguments)
            if name == ASK_EXPERT:
                return await self.run(EXPERT, given["input"])
            return json.dumps(run_tool(name, given), ensure_ascii=False)
        except Exception as error:
            return f"error: {error!r}"


class AgentMaxStepsError(Exception):
    """The loop's own limit, by a name that says so."""


class OpenAILoop(Framework):
    name = "openai"
    limits: ClassVar = {
        **dict.fromkeys(
            ("tool_raises", "unknown_tool", "invalid_arguments", "broken_json"),
            "a result does not say whether it is an error",
        ),
        "step_limit": "calls in the last answer have no result unless another request follows",
        "sub_agent": "a loop that a tool runs is not told apart: its calls are the agent's own and have no parent",
    }

    def agent(self, setup: Setup) -> Loop:
        return Loop(
            setup, self.kept(openai.AsyncOpenAI(base_url=setup.base_url, api_key="k", **setup.client_options))
        )

    def stateless_agent(self, setup: Setup) -> Any:
        client = self.agent(setup).client

        async def fresh_loop(golden: rc.Golden) -> str:
            return await Loop(setup, client)(golden)

        return fresh_loop

    def observed(self, agent: Any, **options: Any) -> Any:
        return rc.observe(agent, via="openai", **options)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        for text in says:
            answer = await agent(rc.Golden(text, id="plain"))
        return answer


FRAMEWORK = OpenAILoop()
