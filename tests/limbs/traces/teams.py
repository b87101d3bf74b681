"""One team of agents in several frameworks: triage asks lookup, hands over to billing, which refunds the order."""

from __future__ import annotations

from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from pydantic_ai import Agent as PydanticAgent, Tool as PydanticTool

from agents import Agent, function_tool
from tests.limbs.adapters.kits.langchain import ScriptedChatModel
from tests.limbs.adapters.kits.pydantic_ai import scripted_model
from tests.limbs.adapters.script import Answer, Call, Journal

QUESTION = {"input": "find A-7"}
HAND_OVER = Answer(calls=(Call("transfer_to_billing", {}, "h1"),))
REFUND = Answer(calls=(Call("refund_order", {"order_id": "A-7"}, "r1"),))


def team_answer(said: str, turn: int, handoffs: bool = True) -> Answer:
    """What the model says to a user who wants a refund, and to an agent that looks for an order."""
    if said.startswith("find"):
        return Answer("A-7: a lamp.") if turn else Answer(calls=(Call("find_order", {"id": "A-7"}, "f1"),))
    ask = Answer(calls=(Call("ask_lookup", QUESTION, "e1"),))
    plan = [ask, *([HAND_OVER] if handoffs else []), REFUND, Answer("Refunded.")]
    return plan[min(turn, len(plan) - 1)]


def _billing_answer(said: str, turn: int) -> Answer:
    """What billing says where it does not see what triage said."""
    return team_answer(said, turn + 2)


def find_order(id: str) -> str:
    """Find an order."""
    return "a lamp"


def refund_order(order_id: str) -> str:
    """Refund an order."""
    return "refunded"


def openai_agents(model: Any) -> Agent:
    lookup = Agent("lookup", tools=[function_tool(find_order)], model=model)
    billing = Agent("billing", tools=[function_tool(refund_order)], model=model)
    asking = lookup.as_tool("ask_lookup", "Ask about an order.")
    return Agent("triage", tools=[asking], handoffs=[billing], model=model)


@tool
def transfer_to_billing(call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Hand over to billing."""
    told = ToolMessage("transferred", tool_call_id=call_id, name="transfer_to_billing")
    return Command(goto="billing", graph=Command.PARENT, update={"messages": [told]})


def langgraph_agents(named: bool = True) -> Any:
    def agent(name: str, *tools: Any, answer: Any = team_answer) -> Any:
        model = ScriptedChatModel(journal=Journal(), respond_to=answer)
        return create_agent(model, tools=list(tools), name=name if named else None)

    lookup = agent("lookup", tool(find_order))

    @tool
    async def ask_lookup(input: str) -> str:
        """Ask about an order."""
        state = await lookup.ainvoke({"messages": [("user", input)]})
        return str(state["messages"][-1].text)

    graph = StateGraph(MessagesState)
    graph.add_node("triage", agent("triage", ask_lookup, transfer_to_billing), destinations=("billing",))
    graph.add_node("billing", agent("billing", tool(refund_order), answer=_billing_answer))
    graph.add_edge(START, "triage")
    return graph.compile()


def pydantic_ai_agents(named: bool = True) -> Any:
    model = scripted_model(Journal(), lambda said, turn: team_answer(said, turn, handoffs=False))
    lookup, other = [PydanticAgent(model, tools=[find_order], name=name) for name in ("lookup", None)]

    async def ask_lookup(input: str) -> str:
        asked = lookup if named else other
        return str((await asked.run(input, infer_name=False)).output)

    tools = [PydanticTool(ask_lookup), refund_order]
    return PydanticAgent(model, tools=tools, name="triage" if named else None)
