"""The agent of the story in LangGraph."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from loopback import QUESTION, SYSTEM


@tool
def get_weather(city: str) -> dict[str, int]:
    """Weather of a city."""
    return {"celsius": 31}


@tool
def book(city: str, seats: int) -> dict[str, int]:
    """Book seats."""
    raise ValueError("no seats left")


@wrap_tool_call
def told(request: Any, handler: Any) -> Any:
    try:
        return handler(request)
    except ValueError as error:
        return ToolMessage(f"Error: {error}", tool_call_id=request.tool_call["id"], status="error")


def run(url: str, *, streaming: bool = False, **config: Any) -> str:
    """The answer of the agent; `config` is that of the graph's call."""
    model = ChatOpenAI(
        model="scripted", base_url=f"{url}/v1", api_key="none", streaming=streaming, stream_usage=True
    )
    agent = create_agent(model, [get_weather, book], system_prompt=SYSTEM, middleware=[told])
    state = agent.invoke({"messages": [("user", QUESTION)]}, config=config or None)
    return str(state["messages"][-1].content)
