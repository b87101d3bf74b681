"""An OpenAI Agents SDK agent as its author wrote it, independent of RightCall."""

import json

from agents.testing import assistant_message, function_call
from shop import find_order, refund_order, track_parcel
from stand_in import decide

from agents import Agent, Model, ModelResponse, Usage, function_tool


class StandIn(Model):
    """Write `model="gpt-5-mini"` below instead, and this class can go."""

    async def get_response(self, system_instructions, input, *rest, **options):
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        said = next(item["content"] for item in items if item.get("role") == "user")
        names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
        told = [
            (names[item["call_id"]], item["output"])
            for item in items
            if item.get("type") == "function_call_output"
        ]
        text, calls = decide(said, told)
        made = [
            function_call(n, json.dumps(a), call_id=f"call_{len(told)}_{i}") for i, (n, a) in enumerate(calls)
        ]
        return ModelResponse([*([assistant_message(text)] if text else []), *made], Usage(), None)

    async def stream_response(self, *rest, **options):
        raise NotImplementedError
        yield


agent = Agent(
    name="support",
    instructions="You help customers of a furniture shop.",
    tools=[function_tool(find_order), function_tool(track_parcel), function_tool(refund_order)],
    model=StandIn(),
)
