"""LangGraph and LangChain: `create_agent` with ChatOpenAI; sub-agent and hand-off as its multi-agent pages show."""

from __future__ import annotations

from typing import Annotated, Any

from langchain.agents import AgentState, create_agent
from langchain.messages import ToolMessage
from langchain.tools import InjectedToolCallId, tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from pydantic import BaseModel
from tests.limbs.adapters.script import Answer, Call

import rightcall as rc
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, STEPS, TRAVEL
from benchmarks.adapters.toolbox import TOOLS


class Trip(BaseModel):
    """A trip."""

    city: str
    nights: int


@tool(HAND_OVER)
def hand_over(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Hand over to the expert."""
    told = ToolMessage("You are the expert now.", tool_call_id=tool_call_id)
    return Command(goto=EXPERT, graph=Command.PARENT, update={"messages": [told]})


def build(setup: Setup) -> Any:
    def agent(name: str, extra: tuple[Any, ...] = (), **more: Any) -> Any:
        model = ChatOpenAI(
            model=setup.model(name), base_url=setup.base_url, api_key="k", **setup.client_options,
            streaming=setup.shape == "streamed", stream_usage=True,
        )  # fmt: skip
        tools = [*(tool(one) for one in TOOLS), *extra]
        return create_agent(model, tools, system_prompt=setup.instructions(name), name=name, **more)

    if setup.shape == "sub_agent":
        expert = agent(EXPERT)

        @tool(ASK_EXPERT)
        async def ask_expert(input: str) -> str:
            """Ask the expert."""
            state = await expert.ainvoke({"messages": [{"role": "user", "content": input}]})
            return str(state["messages"][-1].text)

        return agent(TRAVEL, (ask_expert,))
    if setup.shape == "handoff":
        graph = StateGraph(AgentState)
        graph.add_node(TRAVEL, agent(TRAVEL, (hand_over,)))
        graph.add_node(EXPERT, agent(EXPERT))
        graph.add_edge(START, TRAVEL)
        return graph.compile()
    if setup.shape == "typed_answer":
        from langchain.agents.structured_output import ToolStrategy

        return agent(TRAVEL, response_format=ToolStrategy(Trip))
    if setup.shape == "asking":
        from langchain.agents.middleware import HumanInTheLoopMiddleware
        from langgraph.checkpoint.memory import InMemorySaver

        return agent(
            TRAVEL, middleware=[HumanInTheLoopMiddleware({"book": True})], checkpointer=InMemorySaver()
        )
    return agent(TRAVEL)


class LangChain(Framework):
    name = "langchain"

    def agent(self, setup: Setup) -> Any:
        graph = build(setup)
        if setup.shape == "limited":

            async def limited(golden: rc.Golden) -> Any:
                given = {"messages": [{"role": "user", "content": golden.input}]}
                return (await graph.ainvoke(given, {"recursion_limit": 2 * STEPS}))["messages"][-1].text

            return limited
        return graph

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        if not hasattr(agent, "ainvoke"):
            return await agent(rc.Golden(says[0], id="plain"))
        messages: list[Any] = []
        for text in says:
            given = {"messages": [*messages, {"role": "user", "content": text}]}
            state = await agent.ainvoke(given, {"configurable": {"thread_id": "plain"}})
            messages = list(state["messages"])
        return messages[-1].text

    def spoken(self, answer: Answer, body: dict[str, Any]) -> Answer:
        """A typed answer comes as the call of a tool that LangChain offers."""
        if not answer.text.startswith("{"):
            return answer
        return Answer(calls=(Call("Trip", answer.text, "answer"),), usage=answer.usage)


FRAMEWORK = LangChain()
