"""Agents of real frameworks and SDKs that ask a model over HTTP, each with a tool that notes when it runs.

`ASKING_AGENTS[name](address, ran)` is a function of a golden; what its tools are called with goes to `ran`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import anthropic
import httpx2
import openai

from rightcall.records import Golden

SYSTEM = "You answer questions about the weather."
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CHAT_TOOLS: Any = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
CLAUDE_TOOLS: Any = [{"name": "get_weather", "description": "Weather", "input_schema": SCHEMA}]

NO_CONNECTIONS = httpx2.Limits(max_keepalive_connections=0)

Agent = Callable[[Golden], Any]


def openai_client(address: str) -> openai.OpenAI:
    """A client that keeps no connection open, so that nothing has to be closed."""
    http = openai.DefaultHttpxClient(limits=NO_CONNECTIONS)
    return openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=2, http_client=http)


def async_client(address: str) -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(limits=NO_CONNECTIONS)
    return openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k", max_retries=2, http_client=http)


def chat_messages(golden: Golden, system: str = SYSTEM) -> list[Any]:
    return [{"role": "system", "content": system}, {"role": "user", "content": golden.input}]


def openai_agent(address: str, ran: list[str], system: str = SYSTEM, *, stream: bool = False) -> Agent:
    client = openai_client(address)

    def agent(golden: Golden) -> str:
        messages = chat_messages(golden, system)
        for _ in range(3):
            if stream:
                events = client.chat.completions.create(
                    model="m", messages=messages, tools=CHAT_TOOLS, stream=True
                )
                deltas = [choice.delta for event in events for choice in event.choices]
                ran.extend(str(delta.tool_calls) for delta in deltas if delta.tool_calls)
                return "weather"
            reply = client.chat.completions.create(model="m", messages=messages, tools=CHAT_TOOLS)
            message = reply.choices[0].message
            if not message.tool_calls:
                return message.content or ""
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                ran.append(call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": "31 degrees"})
        return "too long"

    return agent


def openai_async_agent(address: str, ran: list[str], system: str = SYSTEM) -> Agent:
    client = async_client(address)

    async def agent(golden: Golden) -> str:
        messages = chat_messages(golden, system)
        reply = await client.chat.completions.create(model="m", messages=messages, tools=CHAT_TOOLS)
        for call in reply.choices[0].message.tool_calls or ():
            ran.append(call.function.arguments)
        return reply.choices[0].message.content or "weather"

    return agent


def responses_agent(address: str, ran: list[str], system: str = SYSTEM) -> Agent:
    client = openai_client(address)

    def agent(golden: Golden) -> str:
        reply = client.responses.create(model="m", instructions=system, input=golden.input)
        ran.extend(item.arguments for item in reply.output if item.type == "function_call")
        return reply.output_text or "weather"

    return agent


def anthropic_agent(address: str, ran: list[str], system: str = SYSTEM, *, stream: bool = False) -> Agent:
    http = anthropic.DefaultHttpxClient(limits=NO_CONNECTIONS)
    client = anthropic.Anthropic(base_url=address, api_key="k", http_client=http)

    def agent(golden: Golden) -> str:
        words: Any = {"model": "m", "max_tokens": 100, "system": system, "tools": CLAUDE_TOOLS}
        words["messages"] = [{"role": "user", "content": golden.input}]
        if stream:
            with client.messages.stream(**words) as events:
                message = events.get_final_message()
        else:
            message = client.messages.create(**words)
        ran.extend(str(block.input) for block in message.content if block.type == "tool_use")
        return "weather"

    return agent


def openai_agents_agent(address: str, ran: list[str], system: str = SYSTEM, *, sync: bool = False) -> Agent:
    from agents import (
        Agent as FrameworkAgent,
        OpenAIChatCompletionsModel,
        Runner,
        function_tool,
        set_trace_processors,
    )

    def get_weather(city: str) -> str:
        """Weather of a city."""
        ran.append(city)
        return "31 degrees"

    set_trace_processors([])  # spans are made, nothing is sent
    model = OpenAIChatCompletionsModel(model="m", openai_client=async_client(address))
    shared = FrameworkAgent("weather", instructions=system, tools=[function_tool(get_weather)], model=model)
    if sync:
        return lambda golden: Runner.run_sync(shared, golden.input).final_output

    async def agent(golden: Golden) -> Any:
        return (await Runner.run(shared, golden.input)).final_output

    return agent


def pydantic_ai_agent(address: str, ran: list[str], system: str = SYSTEM) -> Agent:
    from pydantic_ai import Agent as FrameworkAgent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    def get_weather(city: str) -> str:
        """Weather of a city."""
        ran.append(city)
        return "31 degrees"

    model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=async_client(address)))
    shared = FrameworkAgent(model, system_prompt=system, tools=[get_weather])

    async def agent(golden: Golden) -> Any:
        return (await shared.run(golden.input)).output

    return agent


def langgraph_agent(address: str, ran: list[str], system: str = SYSTEM, *, sync: bool = False) -> Agent:
    """LangChain's agent, a graph, on a chat model that asks with the OpenAI client."""
    from langchain.agents import create_agent
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, convert_to_openai_messages
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.tools import tool

    client = openai_client(address)

    @tool
    def get_weather(city: str) -> str:
        """Weather of a city."""
        ran.append(city)
        return "31 degrees"

    class AskingModel(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "asking"

        def bind_tools(self, tools: Any, **words: Any) -> Any:
            return self

        def _generate(self, messages: Any, *args: Any, **words: Any) -> ChatResult:
            sent = convert_to_openai_messages(messages)
            message = (
                client.chat.completions.create(model="m", messages=sent, tools=CHAT_TOOLS).choices[0].message
            )
            calls = [
                {"name": c.function.name, "args": {"city": "Hanoi"}, "id": c.id}
                for c in message.tool_calls or ()
            ]
            answer = AIMessage(content=message.content or "", tool_calls=calls)
            return ChatResult(generations=[ChatGeneration(message=answer)])

    graph = create_agent(AskingModel(), tools=[get_weather], system_prompt=system)
    if sync:
        return lambda golden: graph.invoke({"messages": [("user", golden.input)]})["messages"][-1].text

    async def agent(golden: Golden) -> Any:
        return (await graph.ainvoke({"messages": [("user", golden.input)]}))["messages"][-1].text

    return agent


ASKING_AGENTS: dict[str, Callable[..., Agent]] = {
    "openai": openai_agent,
    "openai, streamed": partial(openai_agent, stream=True),
    "openai, async": openai_async_agent,
    "openai, responses": responses_agent,
    "anthropic": anthropic_agent,
    "anthropic, streamed": partial(anthropic_agent, stream=True),
    "openai_agents": openai_agents_agent,
    "openai_agents, sync": partial(openai_agents_agent, sync=True),
    "pydantic_ai": pydantic_ai_agent,
    "langgraph": langgraph_agent,
    "langgraph, sync": partial(langgraph_agent, sync=True),
}
"""By name, functions of the model's address, of the list of what their tools were called with, and of a prompt."""
