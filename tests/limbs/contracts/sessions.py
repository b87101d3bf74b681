"""A shop's recorded session, others drawn at random, and a client that talks to a recording in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from rightcall.limbs.contracts.replay_server import ReplayServer
from rightcall.recording.mcp.session import McpSession, RecordedCall, ToolListChange, call_key
from rightcall.recording.mcp.session_recorder import SessionRecorder

ORDER_SCHEMA = {
    "type": "object",
    "properties": {
        "order": {"type": "string", "description": "Number of the order.", "maxLength": 20},
        "detail": {"type": "string", "enum": ["short", "long"], "default": "short"},
        "limit": {"type": "number"},
    },
    "required": ["order"],
    "additionalProperties": False,
}
RESULT_SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "items": {"type": "array", "items": {"type": "object"}}},
    "required": ["id", "items"],
}
READS = {"readOnlyHint": True}
ORDER = {"id": "1017", "items": [{"sku": "a", "count": 2}, {"sku": "b", "count": 1, "gift": True}]}
TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "get_order",
        "title": "Order",
        "description": "One order.",
        "inputSchema": ORDER_SCHEMA,
        "outputSchema": RESULT_SCHEMA,
        "annotations": READS,
    },
    {
        "name": "get_status",
        "description": "State of an order, as JSON.",
        "inputSchema": {"type": "object", "properties": {"order": {"type": "string"}}},
        "annotations": READS,
    },
    {
        "name": "cancel_order",
        "description": "Cancels an order.",
        "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
    },
)


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def answered(*parts: dict[str, Any], failed: bool = False, **more: Any) -> dict[str, Any]:
    return {"content": list(parts), "isError": failed, **more}


CALLS = (
    RecordedCall(
        "get_order",
        {"order": "1017"},
        answered(text('{"id": "1017"}'), text("two items"), structuredContent=ORDER),
    ),
    RecordedCall("get_status", {"order": "1017"}, answered(text('{"state": "packing", "at": 3}'))),
    RecordedCall("get_status", {"order": "1017"}, answered(text('{"state": "sent", "at": 4}')), n=1),
    RecordedCall("get_status", {"order": "0"}, answered(text("no such order"), failed=True)),
    RecordedCall("get_status", {"order": ""}, None, {"code": -32602, "message": "order must not be empty"}),
    RecordedCall("cancel_order", {"id": "1017"}, answered(text("cancelled"))),
)
SHOP = McpSession(
    server={
        "serverInfo": {"name": "shop", "version": "1.4"},
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {"listChanged": True}},
        "instructions": "Look an order up before you cancel it.",
    },
    tools=TOOLS,
    calls=CALLS,
    recorded="2026-11-16",
    address="shop-server",
)


class Client:
    """Speaks JSON-RPC to a recording, heard by a recorder."""

    def __init__(self, server: ReplayServer) -> None:
        self.client = server.client()
        self.recorder = SessionRecorder(str)
        self.number = 0
        self.announced: list[str] = []
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
        self.list()

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.recorder.sent(message)
        *notices, reply = self.client.replies(message)
        for heard in (*notices, reply):
            self.recorder.received(heard)
        self.announced += [notice["method"] for notice in notices]
        return reply

    def list(self) -> list[dict[str, Any]]:
        self.ask("resources/list")
        self.ask("prompts/list")
        tools: list[dict[str, Any]] = self.ask("tools/list")["result"]["tools"]
        return tools

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        before = len(self.announced)
        reply = self.ask("tools/call", {"name": name, "arguments": arguments})
        if len(self.announced) > before:
            self.list()
        return reply


def record_again(session: McpSession) -> McpSession:
    """What a client records that makes every recorded call of a recording."""
    client = Client(ReplayServer(session))
    for call in session.calls:
        client.call(call.name, call.arguments)
    return client.recorder.session()


def without_times(session: McpSession) -> McpSession:
    calls = tuple(replace(call, ms=0) for call in session.calls)
    return replace(session, calls=calls, recorded="", address="")


words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(words, values, max_size=3)
names = st.sampled_from(["get", "put", "list", "find"])
results = st.builds(
    lambda parts, failed, more: answered(*parts, failed=failed, **more),
    st.lists(words.map(text) | objects.map(lambda value: text(str(value))), max_size=3),
    st.booleans(),
    st.just({}) | objects.map(lambda value: {"structuredContent": value}),
)


@st.composite
def sessions(draw: st.DrawFn) -> McpSession:
    """Sessions of a server with up to four tools, equal calls numbered, and sometimes a list that changes."""
    listed = draw(st.lists(names, unique=True, max_size=4))
    tools = tuple({"name": name, "inputSchema": {"type": "object", **draw(objects)}} for name in listed)
    calls: list[RecordedCall] = []
    turns: dict[bytes, int] = {}
    for _ in range(draw(st.integers(0, 6))):
        name = draw(names)
        arguments = draw(objects)
        key = call_key(name, arguments)
        n = turns[key] = turns.get(key, -1) + 1
        error = draw(
            st.none()
            | st.builds(lambda code, said: {"code": code, "message": said}, st.integers(-9, 9), words)
        )
        calls.append(RecordedCall(name, arguments, draw(results) if error is None else None, error, 3, n))
    changes = ()
    if calls and tools and draw(st.booleans()):
        changes = (ToolListChange(draw(st.integers(1, len(calls))), tools[1:]),)
    return replace(SHOP, tools=tools, calls=tuple(calls), changes=changes)
