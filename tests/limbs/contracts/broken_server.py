"""An MCP server over stdio that breaks in one way: python broken_server.py MODE PIDFILE."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

MODE = sys.argv[1]
TOOL = {"name": "get_status", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def flood() -> None:
    while True:
        send({"method": "notifications/message", "params": {"level": "info", "data": "x"}})


def result_of(message: dict[str, Any]) -> dict[str, Any]:
    method = message["method"]
    if method == "initialize":
        info = {"name": "broken", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        if MODE == "pages":
            return {"tools": [TOOL], "nextCursor": "more"}
        return {"tools": [TOOL, TOOL] if MODE == "twice" else [TOOL]}
    if MODE == "dies":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    if MODE == "hangs":
        time.sleep(1000)
    if MODE == "floods":
        flood()
    return {"content": []}


Path(sys.argv[2]).write_text(str(os.getpid()), "utf-8")
if MODE == "silent":
    time.sleep(1000)
if MODE == "junk":
    while True:
        print("this is no message")
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        send({"id": request["id"], "result": result_of(request)})
