"""Agents in the shapes in which public ones are written, and a model that chooses tools by their descriptions."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

BALANCE = "The balance of an account."
FREEZE = "Freeze the card of an account."
TOOLS = f'''
def get_balance(account: str) -> str:
    """{BALANCE}"""
    return f"{{account}}: 12 dollars"

def freeze_card(account: str) -> str:
    """{FREEZE}"""
    return f"{{account}} is frozen"

FUNCTIONS = dict(get_balance=get_balance, freeze_card=freeze_card)
'''
DEPENDENCIES = '''
import os, sqlite3
from dataclasses import dataclass
from pydantic import BaseModel
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from tests.limbs.adapters.kits.asking_agents import async_client

@dataclass
class Bank:
    connection: sqlite3.Connection

class Reply(BaseModel):
    text: str
    is_urgent: bool

provider = OpenAIProvider(openai_client=async_client(os.environ["MODEL_URL"]))
support = Agent(OpenAIChatModel("m", provider=provider), deps_type=Bank, output_type=Reply)

@support.instructions
async def greet(context: RunContext[Bank]) -> str:
    return f"The customer is {context.deps.connection.execute('SELECT name FROM customers').fetchone()[0]}."

@support.tool
async def get_balance(context: RunContext[Bank], account: str) -> str:
    """The balance of an account."""
    return f"{account}: {context.deps.connection.execute('SELECT balance FROM customers').fetchone()[0]} dollars"

@support.tool
async def freeze_card(context: RunContext[Bank], account: str) -> str:
    """Freeze the card of an account."""
    return f"{account} is frozen"
'''
OPEN_BANK = """
import sqlite3
import desk

def opened():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE customers(name, balance)")
    connection.execute("INSERT INTO customers VALUES ('Ann', 12)")
    yield desk.Bank(connection)
    connection.close()
"""
TEAM = '''
from pydantic import BaseModel
import os
from tests.limbs.adapters.kits.asking_agents import async_client
from agents import Agent, OpenAIChatCompletionsModel, RunContextWrapper, function_tool, handoff

model = OpenAIChatCompletionsModel("m", async_client(os.environ["MODEL_URL"]))

class Customer(BaseModel):
    account: str | None = None
    was_handed_over: bool = False

@function_tool
async def get_balance(context: RunContextWrapper[Customer], account: str) -> str:
    """The balance of an account."""
    assert context.context.account is None
    context.context.account = account
    return f"{account}: 12 dollars"

@function_tool
async def freeze_card(context: RunContextWrapper[Customer], account: str) -> str:
    """Freeze the card of an account."""
    assert context.context.was_handed_over
    return f"{account} is frozen"

async def note(context: RunContextWrapper[Customer]) -> None:
    context.context.was_handed_over = True

accounts = Agent[Customer](name="Accounts", model=model, handoff_description="Says a balance.", tools=[get_balance])
cards = Agent[Customer](name="Cards", model=model, handoff_description="Can freeze cards.", tools=[freeze_card])
support = Agent[Customer](name="Triage", model=model, handoffs=[accounts, handoff(agent=cards, on_handoff=note)])
accounts.handoffs.append(support)
'''
GRAPH = """
from dataclasses import dataclass
from typing import Any
import httpx, json, os
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.runtime import Runtime, get_runtime
from assistant.tools import FUNCTIONS

@dataclass(kw_only=True)
class Context:
    model: str = "m"
    prompt: str = "Help."

class Chat(BaseChatModel):
    model: str

    @property
    def _llm_type(self) -> str:
        return "chat"

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any) -> ChatResult:
        body = {"model": self.model, "messages": convert_to_openai_messages(messages), **options}
        reply = httpx.post(os.environ["MODEL_URL"] + "/v1/chat/completions", json=body, timeout=300).json()
        message = reply["choices"][0]["message"]
        calls = [{"name": c["function"]["name"], "args": json.loads(c["function"]["arguments"]), "id": c["id"]}
                 for c in message.get("tool_calls") or []]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(message["content"] or "", tool_calls=calls))])

def call_model(state: MessagesState, runtime: Runtime[Context]) -> Any:
    model = Chat(model=runtime.context.model).bind_tools([*FUNCTIONS.values()])
    return {"messages": [model.invoke([("system", runtime.context.prompt), *state["messages"]])]}

builder = StateGraph(MessagesState, context_schema=Context)
builder.add_node(call_model)
builder.add_node("tools", ToolNode([*FUNCTIONS.values()]))
builder.add_edge("__start__", "call_model")
builder.add_conditional_edges("call_model", tools_condition)
builder.add_edge("tools", "call_model")
support = builder.compile(name="assistant")
"""
LOOP = """
import json
import anthropic
from bank_tools import BALANCE, FREEZE, FUNCTIONS

client = anthropic.Anthropic()
ACCOUNT = {"type": "object", "properties": {"account": {"type": "string"}}, "required": ["account"]}
tools = [{"name": "get_balance", "description": BALANCE, "input_schema": ACCOUNT},
         {"name": "freeze_card", "description": FREEZE, "input_schema": ACCOUNT}]

def support(user_message):
    print(f"User: {user_message}")
    messages = [{"role": "user", "content": user_message}]
    while True:
        response = client.messages.create(model="m", max_tokens=99, tools=tools, messages=messages)
        if response.stop_reason != "tool_use":
            return next(block.text for block in response.content if block.type == "text")
        messages.append({"role": "assistant", "content": response.content})
        for use in response.content:
            result = FUNCTIONS[use.name](**use.input)
            print(json.dumps(result))
            said = {"type": "tool_result", "tool_use_id": use.id, "content": result}
            messages.append({"role": "user", "content": [said]})
"""
MEMORY = """
import json, os
from tests.limbs.adapters.kits.asking_agents import openai_client
from bank_tools import BALANCE, FREEZE, FUNCTIONS

client = openai_client(os.environ["MODEL_URL"])
ACCOUNT = {"type": "object", "properties": {"account": {"type": "string"}}}
tools = [{"type": "function", "function": {"name": name, "description": text, "parameters": ACCOUNT}}
         for name, text in (("get_balance", BALANCE), ("freeze_card", FREEZE))]

def support(user_query, conversation_messages=[]):
    conversation_messages.append({"role": "user", "content": user_query})
    while True:
        reply = client.chat.completions.create(model="m", messages=conversation_messages, tools=tools).choices[0].message
        conversation_messages.append(reply)
        if not reply.tool_calls:
            return conversation_messages
        for call in reply.tool_calls:
            result = FUNCTIONS[call.function.name](**json.loads(call.function.arguments))
            conversation_messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
"""
CLIENT = """
import sys
from contextlib import AsyncExitStack
from anthropic import Anthropic
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

class Client:
    def __init__(self):
        self.session = None
        self.stack = AsyncExitStack()
        self.errors = open("errors.txt", "w")
        self.model = Anthropic()

    async def connect(self, script):
        server = StdioServerParameters(command=sys.executable, args=[script])
        self.session = await self.stack.enter_async_context(
            ClientSession(*await self.stack.enter_async_context(stdio_client(server, errlog=self.errors))))
        await self.session.initialize()

    async def support(self, query: str) -> str:
        listed = (await self.session.list_tools()).tools
        tools = [{"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in listed]
        messages = [{"role": "user", "content": query}]
        while True:
            response = self.model.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
            uses = [block for block in response.content if block.type == "tool_use"]
            if not uses:
                return "".join(block.text for block in response.content)
            messages.append({"role": "assistant", "content": response.content})
            for use in uses:
                result = await self.session.call_tool(use.name, use.input)
                said = {"type": "tool_result", "tool_use_id": use.id, "content": result.content[0].text}
                messages.append({"role": "user", "content": [said]})
"""
CONNECTED = """
from desk import Client

async def connected():
    client = Client()
    await client.connect("server.py")
    yield client
    await client.stack.aclose()
    client.model.close()
    client.errors.close()
"""
SERVER = """
from mcp.server import MCPServer
from bank_tools import FUNCTIONS

server = MCPServer("bank")
for function in FUNCTIONS.values():
    server.tool()(function)
server.run()
"""
TEXTS = f"BALANCE, FREEZE = {BALANCE!r}, {FREEZE!r}\n{TOOLS}"


class Shape(NamedTuple):
    """Files, the agent's name, the one key that it needs, what is said without it, and the first call of a golden."""

    files: dict[str, str]
    agent: str
    values: dict[str, Any] = {}
    missing: str = ""
    handoffs: dict[str, str] = {}


SHAPES = {
    "dependencies": Shape(
        {"desk.py": DEPENDENCIES, "setup_bank.py": OPEN_BANK},
        "desk:support",
        {"deps": "setup_bank:opened"},
        "desk:support needs deps (Bank): agent: {model: desk:support, with: {deps: MODULE:FUNCTION}}",
    ),
    "team": Shape(
        {"desk.py": TEAM},
        "desk:support",
        {"context": {}},
        "desk:support needs context (Customer): agent: {model: desk:support, with: {context: {}}}",
        {"get_balance": "transfer_to_accounts", "freeze_card": "transfer_to_cards"},
    ),
    "graph in src": Shape(
        {"src/assistant/tools.py": TEXTS, "src/assistant/graph.py": GRAPH},
        "assistant.graph:support",
        {"context": {}},
        "assistant.graph:support needs context (Context): agent:"
        " {model: assistant.graph:support, with: {context: {}}}",
    ),
    "loop": Shape({"desk.py": LOOP, "bank_tools.py": TEXTS}, "desk:support"),
    "kept list": Shape(
        {"desk.py": MEMORY, "bank_tools.py": TEXTS}, "desk:support", {"conversation_messages": []}
    ),
    "MCP client": Shape(
        {"desk.py": CLIENT, "setup_client.py": CONNECTED, "server.py": SERVER, "bank_tools.py": TEXTS},
        "desk:Client.support",
        {"self": "setup_client:connected"},
        "Client.support(self, query) needs 'self', which nothing provides",
    ),
}


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """Calls each offered tool that the user's words ask for by its description, once; then says the last result."""
    said, calls, results = heard(body)
    word = next((word for word in ("balance", "freeze") if word in said.lower()), "nothing")
    offered = [tool.get("function", tool) for tool in body.get("tools") or ()]
    wanted = [tool["name"] for tool in offered if word in tool["description"].lower()]
    account = "".join(re.findall(r"A\d", said)[:1])
    name = next((name for name in wanted if name not in {call for call, _ in calls}), "")
    arguments: dict[str, Any] = {} if name.startswith("transfer_to_") else {"account": account}
    text = results[-1] if results else "You are welcome."
    if not name and any(tool["name"] == "final_result" for tool in offered):
        name = "final_result"
        arguments = {"text": text, "is_urgent": False}
    return reply(body, name, arguments, text)


def heard(body: dict[str, Any]) -> tuple[str, list[tuple[str, Any]], list[str]]:
    """What the user said last, and the calls and results since, of a request of OpenAI or Anthropic."""
    said = ""
    calls = []
    results = []
    for message in body["messages"]:
        content = message.get("content") or ""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] == "user" and parts[0]["type"] == "text":
            said = parts[0]["text"]
            calls = []
            results = []
        uses = [part for part in parts if part["type"] == "tool_use"]
        calls += [(use["name"], use["input"]) for use in uses]
        made = [call["function"] for call in message.get("tool_calls") or ()]
        calls += [(call["name"], json.loads(call["arguments"])) for call in made]
        results += [part["content"] for part in parts if part["type"] == "tool_result"]
        results += [parts[0]["text"]] if message["role"] == "tool" else []
    return said, calls, results


def reply(body: dict[str, Any], name: str, arguments: dict[str, Any], text: str) -> dict[str, Any]:
    number = f"call_{len(body['messages'])}"
    if "max_tokens" in body:
        use = {"type": "tool_use", "id": number, "name": name, "input": arguments}
        content = use if name else {"type": "text", "text": text}
        stop = "tool_use" if name else "end_turn"
        whole = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [content]}
        return {**whole, "stop_reason": stop, "usage": {"input_tokens": 9, "output_tokens": 1}}
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = {"tool_calls": [{"id": number, "type": "function", "function": function}]} if name else {}
    message = {"role": "assistant", "content": None if name else text, **calls}
    choice = {"index": 0, "finish_reason": "tool_calls" if name else "stop", "message": message}
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }
