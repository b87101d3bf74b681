"""LiteLLM: the loop of its function calling guide on `acompletion`; the expert is another loop."""

from __future__ import annotations

import os
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # its import would fetch the table of prices

import litellm

import rightcall as rc
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.frameworks.openai import TOOLS, Loop, OpenAILoop


class LiteLLMLoop(Loop):
    """The loop on the OpenAI client, with LiteLLM's function in its place."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, None)  # type: ignore[arg-type]

    async def ask(self, agent: str, messages: list[Any]) -> dict[str, Any]:
        more: Any = {"response_format": {"type": "json_object"}} if self.setup.shape == "typed_answer" else {}
        streamed = self.setup.shape == "streamed"
        if streamed:
            more = {"stream": True, "stream_options": {"include_usage": True}}
        reply = await litellm.acompletion(
            model=f"openai/{self.setup.model(agent)}", messages=messages, tools=TOOLS, api_base=self.setup.base_url,
            api_key="k", **self.setup.client_options, **more,
        )  # fmt: skip
        if streamed:
            reply = litellm.stream_chunk_builder([chunk async for chunk in reply])
        message = reply.choices[0].message.model_dump(exclude_none=True)
        return {name: message[name] for name in ("role", "content", "tool_calls") if name in message}


class LiteLLM(Framework):
    name = "litellm"
    limits = OpenAILoop.limits

    def agent(self, setup: Setup) -> LiteLLMLoop:
        return LiteLLMLoop(setup)

    def stateless_agent(self, setup: Setup) -> Any:
        async def fresh_loop(golden: rc.Golden) -> str:
            return await LiteLLMLoop(setup)(golden)

        return fresh_loop

    def observed(self, agent: Any, **options: Any) -> Any:
        return rc.observe(agent, via="litellm", **options)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        for text in says:
            answer = await agent(rc.Golden(text, id="plain"))
        return answer


FRAMEWORK = LiteLLM()
