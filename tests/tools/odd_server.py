"""An MCP server over stdio, written by hand so that it can misbehave: python odd_server.py MODE [FILE]."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

MODE = sys.argv[1] if __name__ == "__main__" else ""
GOOD = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "echo",
        "description": "Say it again.",
        "inputSchema": GOOD,
        "annotations": {"readOnlyHint": True},
    },
    {"name": "write", "description": "Write it down.", "inputSchema": GOOD},
]


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def listed() -> list[dict[str, Any]]:
    if MODE == "bad_schema":
        return [
            *TOOLS,
            {"name": "broken", "inputSchema": {"type": "object", "properties": {"a": {"type": "strng"}}}},
        ]
    if MODE == "empty_schema":
        return [{"name": "guess", "inputSchema": {"type": "object"}}]
    return TOOLS


def called(message: dict[str, Any]) -> None:
    arguments = message["params"].get("arguments", {})
    if MODE in ("crash_once", "crash_idle") and (log := Path(sys.argv[2])):
        with log.open("a", encoding="utf-8") as lines:
            lines.write(arguments["text"] + "\n")
        if MODE == "crash_once" and len(log.read_text(encoding="utf-8").split()) == 1:
            os._exit(3)
    if MODE == "crash":
        print("out of cheese, token=s3cret", file=sys.stderr, flush=True)
        os._exit(3)
    if MODE == "hang":
        time.sleep(600)
    if MODE == "change" and len(TOOLS) == 2:
        TOOLS.pop()
        send({"method": "notifications/tools/list_changed"})
    if MODE == "picture":
        block = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
        send({"id": message["id"], "result": {"content": [block, {"type": "text", "text": "seen"}]}})
        return
    send({"id": message["id"], "result": {"content": [{"type": "text", "text": arguments["text"]}]}})
    if MODE == "crash_idle":
        os._exit(0)


def discovered(message: dict[str, Any]) -> dict[str, Any]:
    """The answer to `server/discover` of a server that knows no handshake."""
    asked = message.get("params", {}).get("_meta", {}).get("io.modelcontextprotocol/protocolVersion", "none")
    spoken = ["2099-01-01"] if MODE == "future" else ["2026-07-28"]
    if asked not in spoken:
        data = {"supported": spoken, "requested": asked}
        return {"error": {"code": -32022, "message": "Unsupported protocol version", "data": data}}
    info = {"io.modelcontextprotocol/serverInfo": {"name": "odd", "version": "2"}}
    return {"result": {"supportedVersions": spoken, "capabilities": {"tools": {}}, "_meta": info}}


def asked_back(message: dict[str, Any]) -> None:
    """A call is answered once the client has filled in the form."""
    params = message["params"]
    if params.get("requestState") != "open":
        form = {"method": "elicitation/create", "params": {"requestedSchema": {"properties": {"seats": {}}}}}
        result = {"resultType": "input_required", "inputRequests": {"form": form}, "requestState": "open"}
    else:
        seats = params["inputResponses"]["form"]["content"]["seats"]
        result = {"resultType": "complete", "content": [{"type": "text", "text": f"{seats} seats"}]}
    send({"id": message["id"], "result": result})


BOX = """╭──── Traceback (most recent call last) ────╮
│ /lib/validator.py:410 in validate          │
╰────────────────────────────────────────────╯
ValidationError: 1 validation error for ListToolsResult
tools.0.outputSchema.type
  Input should be 'object'
    For further information visit https://errors.example
"""


def main() -> None:
    if MODE == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(sys.argv[2]).write_text(f"{os.getpid()} {child.pid}", encoding="utf-8")
    if MODE == "slow_start":
        time.sleep(600)
    if MODE == "nonsense":
        print("Welcome to the server!", flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "server/discover" and MODE == "first_initialize":
            sys.exit("expected initialize")
        if method in ("server/discover", "initialize") and MODE in ("stateless", "future"):
            send({"id": message["id"], **discovered(message)})
        elif method == "tools/list" and MODE == "boxed":
            print(BOX, file=sys.stderr, flush=True)
            send({"id": message["id"], "error": {"code": -32603, "message": "invalid result"}})
        elif method == "tools/call" and MODE == "stateless":
            asked_back(message)
        elif method == "initialize":
            send(
                {
                    "id": message["id"],
                    "result": {
                        "protocolVersion": "2025-06-18",
                        "capabilities": {"tools": {"listChanged": True}},
                        "serverInfo": {"name": "odd", "version": "1"},
                    },
                }
            )
        elif method == "tools/list":
            send({"id": message["id"], "result": {"tools": listed()}})
        elif method == "tools/call":
            called(message)
        elif "id" in message:
            send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})


if __name__ == "__main__":
    main()
