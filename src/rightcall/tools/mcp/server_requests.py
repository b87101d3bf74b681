"""Requests of a server to its client while a call runs: sampling and elicitation, answered as the suite says.

A client that does not say how to answer does not announce that it can, and refuses such a request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from rightcall.tools.mcp.address import McpAddress, McpElicitation
from rightcall.tools.mcp.sdk import McpSdk

RequestCallback = Callable[[Any, Any], Awaitable[Any]]


def session_callbacks(address: McpAddress, sdk: McpSdk) -> dict[str, RequestCallback]:
    """The callbacks of a session, for what the address answers."""
    callbacks: dict[str, RequestCallback] = {}
    if address.sampling is not None:
        callbacks["sampling_callback"] = _sampling_callback(address.sampling, sdk)
    if address.elicitation is not None:
        callbacks["elicitation_callback"] = _elicitation_callback(address.elicitation, sdk)
    return callbacks


def _sampling_callback(text: str, sdk: McpSdk) -> RequestCallback:
    """A model's answer, which is always the same text: results must not depend on another model."""
    message = {
        "role": "assistant",
        "content": {"type": "text", "text": text},
        "model": "rightcall-suite",
        "stopReason": "endTurn",
    }

    async def answer(context: Any, params: Any) -> Any:
        return sdk.types.CreateMessageResult.model_validate(message)

    return answer


def _elicitation_callback(stated: McpElicitation, sdk: McpSdk) -> RequestCallback:
    """A user's answer to a form: what the suite states, with only the fields that the server asked for."""

    async def answer(context: Any, params: Any) -> Any:
        if stated.action != "accept":
            return sdk.types.ElicitResult.model_validate({"action": stated.action})
        asked = params.model_dump(by_alias=True, mode="json").get("requestedSchema") or {}
        fields = asked.get("properties", {})
        missing = [name for name in asked.get("required", ()) if name not in stated.content]
        if missing:
            problem = f"the suite's elicitation has no content for '{missing[0]}'"
            return sdk.types.ErrorData(code=-32602, message=problem)
        content = {name: value for name, value in stated.content.items() if name in fields}
        return sdk.types.ElicitResult.model_validate({"action": "accept", "content": content})

    return answer
