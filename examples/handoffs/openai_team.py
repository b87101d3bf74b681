"""The team in the OpenAI Agents SDK, as its author wrote it, independent of RightCall."""

import json

from agents.testing import assistant_message, function_call
from shop import find_order, refund_order, track_parcel
from stand_in import decide

from agents import Agent, Model, ModelResponse, Usage, function_tool


class StandIn(Model):
    """Write `model="gpt-5-mini"` below instead, and this class can go."""

    def __init__(self, agent: str):
        self.agent = agent

    async def get_response(self, system_instructions, input, *rest, **options):
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        said = next(item["content"] for item in items if item.get("role") == "user")
        names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
        outputs = [item for item in items if item.get("type") == "function_call_output"]
        told = [(names[item["call_id"]], item["output"]) for item in outputs]
        text, calls = decide(self.agent, said, told)
        made = [
            function_call(name, json.dumps(arguments), call_id=f"{self.agent}_{len(told)}_{i}")
            for i, (name, arguments) in enumerate(calls)
        ]
        spoken = [assistant_message(text)] if text else []
        usage = Usage(requests=1, input_tokens=100, output_tokens=10, total_tokens=110)
        return ModelResponse([*spoken, *made], usage, None)

    async def stream_response(self, *rest, **options):
        raise NotImplementedError
        yield


def member(name: str, *tools, **options) -> Agent:
    return Agent(name=name, tools=list(tools), model=StandIn(name), **options)


lookup = member("lookup", function_tool(find_order))
billing = member("billing", function_tool(refund_order))
shipping = member("shipping", function_tool(track_parcel))
support = member("support")
triage = member(
    "triage",
    lookup.as_tool("ask_lookup", "Ask what an order is."),
    function_tool(refund_order),
    handoffs=[billing, shipping, support],
)
billing.handoffs = [triage]
