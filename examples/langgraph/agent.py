"""A LangGraph agent as its author wrote it, independent of RightCall."""

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from shop import find_order, refund_order, track_parcel
from stand_in import decide


class StandIn(BaseChatModel):
    """Write `model="openai:gpt-5-mini"` below instead, and this class can go."""

    @property
    def _llm_type(self):
        return "stand-in"

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **options):
        said = next(message.text for message in messages if message.type == "human")
        told = [(message.name, message.text) for message in messages if message.type == "tool"]
        text, calls = decide(said, told)
        made = [{"name": n, "args": a, "id": f"call_{len(told)}_{i}"} for i, (n, a) in enumerate(calls)]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text, tool_calls=made))])


agent = create_agent(
    model=StandIn(),
    tools=[tool(find_order), tool(track_parcel), tool(refund_order)],
    system_prompt="You help customers of a furniture shop.",
    name="support",
)
