"""A Pydantic AI agent as its author wrote it, independent of RightCall."""

from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from shop import find_order, refund_order, track_parcel
from stand_in import decide


async def stand_in(messages, info):
    """Write `Agent("openai:gpt-5-mini", …)` below instead, and this function can go."""
    parts = [part for message in messages for part in message.parts]
    said = next(part.content for part in parts if part.part_kind == "user-prompt")
    told = [(part.tool_name, str(part.content)) for part in parts if part.part_kind == "tool-return"]
    text, calls = decide(said, told)
    made = [
        ToolCallPart(name, arguments, f"call_{len(told)}_{i}") for i, (name, arguments) in enumerate(calls)
    ]
    return ModelResponse([*([TextPart(text)] if text else []), *made])


agent = Agent(
    FunctionModel(stand_in),
    name="support",
    instructions="You help customers of a furniture shop.",
    tools=[find_order, track_parcel, refund_order],
)
