"""A connection to an MCP server that takes its answers as they are: nothing is validated, dropped or translated.

    async with RawSession(read_address("mcp:uvx mcp-server-time")) as server:
        tools = await server.listing("tools/list", "tools")
        reply = await server.call("get_current_time", {"timezone": "UTC"})       # {"result": …} or {"error": …}

The client of a run checks results against the schemas that a server states; one that compares servers must see what
was sent. A server that dies, hangs, floods or lists a tool twice raises an `InfrastructureError`. No process is left
running.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Self

from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.core.text import one_line
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.connection import (
    ServerConnection,
    answer_to,
    innermost,
    reason_of_end,
)
from rightcall.tools.mcp.sdk import load_sdk, read_message, wrap_message

PROTOCOL = "2025-11-25"
"""The version of the protocol that is asked for; a server may answer with an older one."""

MOST_MESSAGES = 10_000
"""Messages that a server may send without answering the request that is open."""

MOST_PAGES, MOST_ITEMS = 1_000, 20_000

Message = dict[str, Any]


class RawSession(ServerConnection):
    """An initialized session. `server` is what the server said of itself, `list_changed` whether its tools changed."""

    def __init__(self, address: McpAddress, listener: SessionRecorder | None = None) -> None:
        super().__init__(address, listener)
        self.server: Message = {}
        self.list_changed = False
        self._send: Any = None
        self._open: dict[int, asyncio.Future[Message]] = {}
        self._last_id = self._unasked = 0

    async def __aenter__(self) -> Self:
        connected: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live(connected))
        try:
            await asyncio.wait(
                {connected, self._life}, timeout=self.address.start_s, return_when="FIRST_COMPLETED"
            )
            if not connected.done():
                failure = await self._end()
                if isinstance(cause := innermost(failure), InfrastructureError | ConfigError):
                    raise cause
                raise self._failure(f"could not be started{reason_of_end(failure)}")
            await self._initialize()
        except BaseException:
            await self._end()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def request(self, method: str, params: Message | None = None, *, seconds: float = 0) -> Message:
        """The reply to a request: a message with `result` or `error`."""
        self._last_id += 1
        number, self._unasked = self._last_id, 0
        reply: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._open[number] = reply
        message: Message = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            message["params"] = params
        assert self._life is not None
        try:
            await self._write(message)
            waited: set[asyncio.Future[Any]] = {reply, self._life}
            await asyncio.wait(waited, timeout=seconds or self.address.call_s, return_when="FIRST_COMPLETED")
            if not reply.done() and self._life.done():
                await asyncio.sleep(0)
            if reply.done():
                return reply.result()
            if self._life.done():
                reason = reason_of_end(await self._end())
                raise self._failure(f"is gone: it did not answer {method}{reason}")
            raise self._failure(f"did not answer {method} within {seconds or self.address.call_s:g} s")
        finally:
            self._open.pop(number, None)

    async def call(self, name: str, arguments: Message) -> Message:
        return await self.request("tools/call", {"name": name, "arguments": arguments})

    async def listing(self, method: str, key: str) -> list[Message]:
        """All pages of a list; empty when the server has no such list."""
        items: list[Message] = []
        cursor: Any = None
        for _ in range(MOST_PAGES):
            reply = await self.request(method, {"cursor": cursor} if cursor else {})
            result = reply.get("result")
            if not isinstance(result, dict):
                if method == "tools/list":
                    raise self._failure(f"did not list its tools: {_error_text(reply)}")
                return []
            page = result.get(key)
            if not isinstance(page, list):
                raise self._failure(f"did not list its {key}: '{key}' is not a list")
            if not all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in page):
                raise self._failure(f"lists one of its {key} without a name")
            items += page
            cursor = result.get("nextCursor")
            if len(items) > MOST_ITEMS:
                break
            if not cursor:
                names = Counter(str(item.get("name")) for item in items if method == "tools/list")
                for twin in (name for name, times in names.items() if times > 1):
                    raise self._failure(f"lists the tool '{twin[:80]}' twice")
                return items
        raise self._failure(f"sends pages of {method} without end")

    async def tools(self) -> list[Message]:
        """The tools as listed now."""
        self.list_changed = False
        return await self.listing("tools/list", "tools")

    async def _initialize(self) -> None:
        client = {"name": "rightcall", "version": "1"}
        capabilities: Message = {}
        if self.address.sampling is not None:
            capabilities["sampling"] = {}
        if self.address.elicitation is not None:
            capabilities["elicitation"] = {}
        params = {"protocolVersion": PROTOCOL, "capabilities": capabilities, "clientInfo": client}
        reply = await self.request("initialize", params, seconds=self.address.start_s)
        if not isinstance(reply.get("result"), dict):
            raise self._failure(f"refused the connection: {_error_text(reply)}")
        self.server = reply["result"]
        await self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def _live(self, connected: asyncio.Future[None]) -> None:
        """Hold the connection open until it is stopped, or ends."""
        sdk = load_sdk()
        async with self.streams(sdk) as (read, write):
            self._send = lambda plain: write.send(wrap_message(plain, sdk))
            connected.set_result(None)
            reader = asyncio.create_task(self._read(read))
            stopped = asyncio.create_task(self._stop.wait())
            try:
                await asyncio.wait({reader, stopped}, return_when="FIRST_COMPLETED")
                if reader.done():
                    reader.result()
            finally:
                stopped.cancel()
                reader.cancel()
                await asyncio.wait({reader, stopped})

    async def _read(self, stream: Any) -> None:
        async for session_message in stream:
            self._unasked += 1
            if self._unasked > MOST_MESSAGES:
                raise InfrastructureError(f"it sent {MOST_MESSAGES:,} messages instead of an answer")
            if isinstance(session_message, Exception):
                continue
            message = read_message(session_message)
            if self._listener is not None:
                self._listener.received(message)
            if "method" not in message:
                reply = self._open.get(message.get("id", 0))
                if reply is not None and not reply.done():
                    self._unasked = 0
                    reply.set_result(message)
            elif "id" in message:
                answer = answer_to(self.address, message["method"], message.get("params") or {})
                await self._send({"jsonrpc": "2.0", "id": message["id"], **answer})
            elif message["method"] == "notifications/tools/list_changed":
                self.list_changed = True

    async def _write(self, message: Message) -> None:
        if self._listener is not None:
            self._listener.sent(message)
        try:
            await asyncio.wait_for(self._send(message), self.address.call_s)
        except Exception:
            reason = reason_of_end(await self._end())
            raise self._failure(f"does not take {message['method']}{reason}") from None


def _error_text(reply: Message) -> str:
    error = reply.get("error")
    return one_line(str(error.get("message", "")), 200) if isinstance(error, dict) else "no result"
