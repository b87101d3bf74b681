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


def answer_to(address: McpAddress, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The `result` or `error` for a request of a server, as plain JSON-RPC."""
    if method == "ping":
        return {"result": {}}
    if method == "sampling/createMessage" and address.sampling is not None:
        return {"result": _sampled(address.sampling)}
    if method == "elicitation/create" and address.elicitation is not None:
        return _form_answer(address.elicitation, params)
    return {"error": {"code": -32601, "message": "Method not found"}}


def _sampling_callback(text: str, sdk: McpSdk) -> RequestCallback:
    async def answer(context: Any, params: Any) -> Any:
        return sdk.types.CreateMessageResult.model_validate(_sampled(text))

    return answer


def _elicitation_callback(stated: McpElicitation, sdk: McpSdk) -> RequestCallback:
    async def answer(context: Any, params: Any) -> Any:
        reply = _form_answer(stated, params.model_dump(by_alias=True, mode="json"))
        if "error" in reply:
            return sdk.types.ErrorData(**reply["error"])
        return sdk.types.ElicitResult.model_validate(reply["result"])

    return answer


def _sampled(text: str) -> dict[str, Any]:
    """A model's answer, which is always the same text: results must not depend on another model."""
    return {
        "role": "assistant",
        "content": {"type": "text", "text": text},
        "model": "rightcall-suite",
        "stopReason": "endTurn",
    }


def _form_answer(stated: McpElicitation, params: dict[str, Any]) -> dict[str, Any]:
    """A user's answer to a form: what the suite states, with only the fields that the server asked for."""
    if stated.action != "accept":
        return {"result": {"action": stated.action}}
    asked = params.get("requestedSchema") or {}
    fields = asked.get("properties", {})
    missing = [name for name in asked.get("required", ()) if name not in stated.content]
    if missing:
        problem = f"the suite's elicitation has no content for '{missing[0]}'"
        return {"error": {"code": -32602, "message": problem}}
    content = {name: value for name, value in stated.content.items() if name in fields}
    return {"result": {"action": "accept", "content": content}}
