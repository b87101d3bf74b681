"""The agent of the story as a plain loop over OpenAI's package, for packages that watch that package."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from loopback import QUESTION, SYSTEM

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties, "required": list(properties)},
        },
    }
    for name, description, properties in (
        ("get_weather", "Weather of a city.", {"city": {"type": "string"}}),
        ("book", "Book seats.", {"city": {"type": "string"}, "seats": {"type": "integer"}}),
    )
]


def get_weather(city: str) -> dict[str, int]:
    """Weather of a city."""
    return {"celsius": 31}


def book(city: str, seats: int) -> dict[str, int]:
    """Book seats."""
    raise ValueError("no seats left")


def run(client: Any, tools: dict[str, Callable[..., Any]], question: str = QUESTION, **more: Any) -> str:
    """The answer of the agent; `tools` are the decorated functions, `more` is given to the client."""
    messages: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    while True:
        reply = client.chat.completions.create(model="scripted", messages=messages, tools=TOOLS, **more)
        message = reply.choices[0].message
        if not message.tool_calls:
            return str(message.content)
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            try:
                result = json.dumps(tools[call.function.name](**json.loads(call.function.arguments)))
            except ValueError as error:
                result = f"Error: {error}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
