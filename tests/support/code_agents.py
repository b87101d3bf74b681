"""Agents that are code, on a world of ours: loops of the OpenAI and Anthropic clients, LangGraph, OpenAI Agents.

Their model is a loopback server that decides by a function of what it is sent, as the scripted agents of the suite do,
so that an agent's own loop and a loop of ours can be compared cell by cell.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import anthropic
import openai
from aiohttp import web
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from agents import Agent as SdkAgent, FunctionTool, OpenAIResponsesModel, Runner, set_trace_processors
from rightcall.records import ExpectedCall, Golden, ToolCall
from rightcall.records.dialects import read_messages, read_tool, write_tool
from rightcall.records.dialects.wire import output_text
from rightcall.tools.runtime.toolbox import Toolbox
from tests.limbs.adapters.model_server import anthropic_reply, chat_reply, responses_reply
from tests.limbs.adapters.script import Answer, Call
from tests.limbs.attacks.agents import Decide, Turn
from tests.providers.loopback import _in_thread

set_trace_processors([])
Json = dict[str, Any]


class OwnTools:
    """The tools of one trial, run by the agent's own code."""

    def __init__(self, sources: Sequence[Any], golden: Golden) -> None:
        self._toolbox = Toolbox(sources, execute="real")
        self._context = self._toolbox.context(task=golden.id)
        self.definitions = self._toolbox.tools

    async def run(self, name: str, arguments: Json, call_id: str) -> tuple[str, bool]:
        """The text for the model, and whether the tool failed."""
        invocation = await self._toolbox.invoke(ToolCall(name, arguments, call_id), self._context)
        return output_text(invocation.result.output), invocation.result.is_error


@contextmanager
def deciding_server(decide: Decide, goldens: Sequence[Golden]) -> Iterator[str]:
    """A model that answers by `decide`; the name of the model that is asked for is the id of the golden."""
    expected = {golden.id: golden.expected_calls for golden in goldens}
    with answering_server(lambda body: _answer(decide, body, expected[body["model"]])) as address:
        yield address


@contextmanager
def answering_server(answer_to: Callable[[Json], Answer]) -> Iterator[str]:
    """A model of all three APIs that answers each request by its body."""

    async def handle(request: web.Request) -> web.Response:
        answer = await asyncio.to_thread(answer_to, await request.json())
        if request.path.endswith("/chat/completions"):
            return web.json_response(chat_reply(answer)[0])
        if request.path.endswith("/responses"):
            return web.json_response(responses_reply(answer, 1)[0])
        return web.json_response(anthropic_reply(answer, 1)[0])

    async def start() -> Any:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        yield f"http://127.0.0.1:{port}"


def _answer(decide: Decide, body: Json, expected: Sequence[ExpectedCall]) -> Answer:
    """What the scripted model says to a request of any client."""
    messages = read_messages(body.get("messages", body.get("input")), "request")
    tools = [read_tool(tool, "tools") for tool in body.get("tools", ())]
    request: Any = SimpleNamespace(
        messages=messages, prompt=SimpleNamespace(tools=tools), golden_id=body["model"]
    )
    turn = Turn(request, expected)
    turn.results = [SimpleNamespace(output=_decoded(result.output)) for result in turn.results]  # type: ignore[misc]
    decision = decide(turn)
    if isinstance(decision, str) or decision is None:
        return Answer(decision or "Done.")
    return Answer(calls=tuple(Call(call.name, call.arguments, call.id) for call in decision))


def _decoded(output: Any) -> Any:
    try:
        return json.loads(output) if isinstance(output, str) else output
    except json.JSONDecodeError:
        return output


Loop = Callable[[str, Golden, OwnTools], Any]


async def openai_loop(address: str, golden: Golden, tools: OwnTools) -> str:
    offered: Any = [write_tool(tool, "openai") for tool in tools.definitions]
    async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client:
        messages: list[Any] = [{"role": "user", "content": golden.input}]
        while True:
            reply = await client.chat.completions.create(model=golden.id, messages=messages, tools=offered)
            message = reply.choices[0].message
            if not message.tool_calls:
                return message.content or ""
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                told, _ = await tools.run(call.function.name, json.loads(call.function.arguments), call.id)  # type: ignore[union-attr]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": told})


def anthropic_loop(address: str, golden: Golden, tools: OwnTools) -> str:
    """A blocking one."""
    offered: Any = [write_tool(tool, "anthropic") for tool in tools.definitions]
    with anthropic.Anthropic(base_url=address, api_key="k", max_retries=0) as client:
        messages: list[Any] = [{"role": "user", "content": golden.input}]
        while True:
            reply = client.messages.create(model=golden.id, max_tokens=99, messages=messages, tools=offered)
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in reply.content if block.type == "text")
            messages.append({"role": "assistant", "content": [block.model_dump() for block in reply.content]})
            results = []
            for call in calls:
                arguments: Any = call.input
                told, failed = asyncio.run(tools.run(call.name, arguments, call.id))
                results.append(
                    {"type": "tool_result", "tool_use_id": call.id, "content": told, "is_error": failed}
                )
            messages.append({"role": "user", "content": results})


class OpenAIChat(BaseChatModel):
    """A chat model of LangChain that asks with the OpenAI client."""

    address: str
    name_of_model: str

    @property
    def _llm_type(self) -> str:
        return "openai-client"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        with openai.OpenAI(base_url=f"{self.address}/v1", api_key="k", max_retries=0) as client:
            sent: Any = convert_to_openai_messages(messages)
            reply = client.chat.completions.create(
                model=self.name_of_model, messages=sent, tools=more["tools"]
            )
        message = reply.choices[0].message
        calls: Any = [
            {"name": call.function.name, "args": json.loads(call.function.arguments), "id": call.id}  # type: ignore[union-attr]
            for call in message.tool_calls or ()
        ]
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage(message.content or "", tool_calls=calls))]
        )


async def langgraph_agent(address: str, golden: Golden, tools: OwnTools) -> str:
    def own(tool: Any) -> StructuredTool:
        async def run(**arguments: Any) -> str:
            return (await tools.run(tool.name, arguments, ""))[0]

        return StructuredTool(
            name=tool.name, description=tool.description, args_schema=tool.input_schema, coroutine=run
        )

    agent: Any = create_agent(
        OpenAIChat(address=address, name_of_model=golden.id), [own(t) for t in tools.definitions]
    )
    state = await agent.ainvoke(
        {"messages": [{"role": "user", "content": golden.input}]}, {"recursion_limit": 90}
    )
    return str(state["messages"][-1].text)


async def openai_agents_agent(address: str, golden: Golden, tools: OwnTools) -> str:
    def own(tool: Any) -> FunctionTool:
        async def run(context: Any, arguments: str) -> str:
            return (await tools.run(tool.name, json.loads(arguments), context.tool_call_id))[0]

        return FunctionTool(tool.name, tool.description, tool.input_schema, run, strict_json_schema=False)

    async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client:
        model = OpenAIResponsesModel(golden.id, client)
        agent: Any = SdkAgent("shop", model=model, tools=[own(tool) for tool in tools.definitions])
        return str((await Runner.run(agent, golden.input, max_turns=40)).final_output)


CODE_AGENTS: dict[str, Loop] = {
    "openai": openai_loop,
    "anthropic": anthropic_loop,
    "langgraph": langgraph_agent,
    "openai_agents": openai_agents_agent,
}


def own_agent(kind: str, address: str, sources: Sequence[Any]) -> Callable[..., Any]:
    """The function that a user would have: a golden to an answer. Each trial has a world of its own."""
    loop = CODE_AGENTS[kind]

    if asyncio.iscoroutinefunction(loop):

        async def agent(golden: Golden) -> Any:
            return await loop(address, golden, OwnTools(sources, golden))
    else:

        def agent(golden: Golden) -> Any:  # type: ignore[misc]
            return loop(address, golden, OwnTools(sources, golden))

    return agent
