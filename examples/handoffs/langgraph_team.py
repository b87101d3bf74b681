"""The same team in LangGraph, as its author wrote it, independent of RightCall."""

from typing import Annotated

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState
from langgraph.types import Command
from shop import find_order, refund_order, track_parcel
from stand_in import decide

USED = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}


class StandIn(BaseChatModel):
    """Write `model="openai:gpt-5-mini"` below instead, and this class can go."""

    agent: str

    @property
    def _llm_type(self):
        return "stand-in"

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **options):
        said = next(message.text for message in messages if message.type == "human")
        told = [(message.name, message.text) for message in messages if message.type == "tool"]
        text, calls = decide(self.agent, said, told)
        made = [
            {"name": name, "args": arguments, "id": f"{self.agent}_{len(told)}_{i}"}
            for i, (name, arguments) in enumerate(calls)
        ]
        answer = AIMessage(text, tool_calls=made, usage_metadata=USED)
        return ChatResult(generations=[ChatGeneration(message=answer)])


def handoff(target: str):
    name = f"transfer_to_{target}"

    @tool(name, description=f"Hand the conversation to {target}.")
    def transfer(
        state: Annotated[dict, InjectedState], call_id: Annotated[str, InjectedToolCallId]
    ) -> Command:
        told = ToolMessage("transferred", tool_call_id=call_id, name=name)
        return Command(goto=target, graph=Command.PARENT, update={"messages": [*state["messages"], told]})

    return transfer


def member(name: str, *tools):
    return create_agent(StandIn(agent=name), tools=list(tools), name=name)


lookup = member("lookup", tool(find_order))


@tool
async def ask_lookup(input: str) -> str:
    """Ask what an order is."""
    state = await lookup.ainvoke({"messages": [("user", input)]})
    return state["messages"][-1].text


team = StateGraph(MessagesState)
targets = ("billing", "shipping", "support")
team.add_node(
    "triage", member("triage", ask_lookup, tool(refund_order), *map(handoff, targets)), destinations=targets
)
team.add_node("billing", member("billing", tool(refund_order), handoff("triage")), destinations=("triage",))
team.add_node("shipping", member("shipping", tool(track_parcel)))
team.add_node("support", member("support"))
team.add_edge(START, "triage")
triage = team.compile()
