"""An MCP server over stdio that asks its client for a model's answer and for a form, written by hand."""

from __future__ import annotations

import json
import sys
from typing import Any

FORM = {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "sample": (
        "sampling/createMessage",
        {"messages": [{"role": "user", "content": {"type": "text", "text": "How is it?"}}], "maxTokens": 10},
    ),
    "ask": ("elicitation/create", {"message": "How many seats?", "requestedSchema": FORM}),
}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def outcome(name: str, reply: dict[str, Any]) -> dict[str, Any]:
    """What the tool returns for what the client answered."""
    if "error" in reply:
        return {"content": [{"type": "text", "text": reply["error"]["message"]}], "isError": True}
    result = reply["result"]
    text = (
        f"sampled: {result['content']['text']}"
        if name == "sample"
        else f"elicited: {result['action']} {result.get('content')}"
    )
    return {"content": [{"type": "text", "text": text}]}


def main() -> None:
    waiting: tuple[Any, str] = (None, "")
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize":
            info = {"name": "asking", "version": "3.2.1"}
            version = "2025-06-18"
            send(
                {
                    "id": message["id"],
                    "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info},
                }
            )
        elif method == "tools/list":
            tools = [
                {"name": name, "description": "Asks.", "inputSchema": {"type": "object", "properties": {}}}
                for name in REQUESTS
            ]
            send({"id": message["id"], "result": {"tools": tools}})
        elif method == "tools/call":
            waiting = (message["id"], message["params"]["name"])
            asked, params = REQUESTS[waiting[1]]
            send({"id": 900, "method": asked, "params": params})
        elif message.get("id") == 900:
            send({"id": waiting[0], "result": outcome(waiting[1], message)})
        elif "id" in message:
            send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})


if __name__ == "__main__":
    main()
