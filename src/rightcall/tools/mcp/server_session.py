"""A session with an MCP server. Its messages are taken as they were sent: nothing is validated or translated.

    async with ServerSession(read_address("mcp:uvx mcp-server-time")) as server:
        tools = await server.listing("tools/list", "tools")
        reply = await server.call("get_current_time", {"timezone": "UTC"})       # {"result": …} or {"error": …}

The newest version of the protocol that both sides speak is used: since 2026-07-28 a server is asked `server/discover`
and every request states the version; older ones shake hands with `initialize`. A server that dies, hangs, floods or
lists a tool twice raises an `InfrastructureError`. No process is left running.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Self

from rightcall.core.text import one_line
from rightcall.recording.mcp.session import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION, greeting
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.connection import ConnectionEndedError, ServerConnection, answer_to
from rightcall.tools.mcp.sdk import load_sdk, read_message, request_headers, wrap_message

UNSUPPORTED_VERSION = -32022
INTERNAL_ERROR = -32603
DISCOVERY_S = 10.0
"""How long a server may take to answer `server/discover`: one that does not know it may not answer at all."""

MOST_MESSAGES = 10_000
"""Messages that a server may send without answering the request that is open."""

MOST_PAGES = 1_000
MOST_ITEMS = 20_000
MOST_ROUNDS = 10
ROUND_S = 0.1
"""How often a server may ask back before it answers a call, and the pause when it only asks for patience."""

Message = dict[str, Any]


class ServerSession(ServerConnection):
    """An open session. `server` is what the server said of itself, `list_changed` whether its tools changed."""

    def __init__(self, address: McpAddress, listener: SessionRecorder | None = None) -> None:
        super().__init__(address, listener)
        self.server: Message = {}
        self.list_changed = False
        self._sdk = load_sdk()
        self._protocol = ""
        self._asked: list[str] = []
        self._only_initialize = False
        self._send: Callable[[Message], Awaitable[None]]
        self._open: dict[int, asyncio.Future[Message]] = {}
        self._schemas: dict[str, Any] = {}
        self._notices: set[asyncio.Future[None]] = set()
        self._last_id = self._unasked = 0

    async def __aenter__(self) -> Self:
        await self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def reply_to(self, method: str, params: Message | None = None) -> Message:
        """The reply to a request, with `result` or `error`. Raises `ConnectionEndedError` when there will be none."""
        self._last_id += 1
        number = self._last_id
        self._unasked = 0
        reply: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._open[number] = reply
        try:
            await self._write(self._request(number, method, params))
            return await reply
        except asyncio.CancelledError:
            if method not in ("initialize", "server/discover"):
                self._abandon(number)
            raise
        finally:
            self._open.pop(number, None)
            if reply.done() and not reply.cancelled():
                reply.exception()  # otherwise asyncio warns of one that nobody waited for

    async def request(self, method: str, params: Message | None = None, *, seconds: float = 0) -> Message:
        """The same, within a time limit (`call_s`); without a reply an `InfrastructureError`."""
        seconds = seconds or self.address.call_s
        try:
            async with asyncio.timeout(seconds):
                return await self.reply_to(method, params)
        except TimeoutError:
            raise await self._close_error(f"did not answer {method} within {seconds:g} s") from None
        except ConnectionEndedError:
            raise await self._close_error(f"is gone: it did not answer {method}") from None

    async def call(self, name: str, arguments: Message) -> Message:
        """The reply to a call of a tool."""
        return await self.reply_to_call(name, arguments, self.request)

    async def reply_to_call(
        self, name: str, arguments: Message, ask: Callable[[str, Message], Awaitable[Message]]
    ) -> Message:
        """The reply to a call, once all that the server asks back for has been answered as the address says."""
        params: Message = {"name": name, "arguments": arguments}
        for _ in range(MOST_ROUNDS):
            reply = await ask("tools/call", params)
            result = reply.get("result")
            if not isinstance(result, dict) or result.pop("resultType", "") != "input_required":
                return reply
            answers: Message = {}
            asked = result.get("inputRequests") or {}
            for key, question in asked.items() if isinstance(asked, dict) else ():
                answer = answer_to(self.address, question if isinstance(question, dict) else {})
                if "error" in answer:
                    return {"error": {**answer["error"], "code": INTERNAL_ERROR}}
                answers[key] = answer["result"]
            if not answers:
                await asyncio.sleep(ROUND_S)
            params = {"name": name, "arguments": arguments, "inputResponses": answers}
            if "requestState" in result:
                params["requestState"] = result["requestState"]
        problem = f"asked back {MOST_ROUNDS} times and did not answer the call"
        return {"error": {"code": INTERNAL_ERROR, "message": problem}}

    async def listing(self, method: str, key: str) -> list[Message]:
        """All pages of a list; empty when the server has no such list."""
        items: list[Message] = []
        cursor: Any = None
        for _ in range(MOST_PAGES):
            params = {"cursor": cursor} if cursor else {}
            reply = await self.request(method, params, seconds=self.address.start_s)
            result = reply.get("result")
            if not isinstance(result, dict):
                if method == "tools/list":
                    asked = f"asked {method} in protocol {self._protocol}"
                    raise await self._close_error(
                        f"did not list its tools: {asked}, it answered {error_text(reply)}"
                    )
                return []
            page = result.get(key)
            if not isinstance(page, list):
                raise await self._close_error(f"did not list its {key}: '{key}' is not a list")
            if not all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in page):
                raise await self._close_error(f"lists one of its {key} without a name")
            items += page
            cursor = result.get("nextCursor")
            if len(items) > MOST_ITEMS:
                break
            if not cursor:
                names = Counter(item["name"] for item in items if method == "tools/list")
                for twin in (name for name, times in names.items() if times > 1):
                    raise await self._close_error(f"lists the tool '{twin[:80]}' twice")
                return items
        raise await self._close_error(f"sends pages of {method} without end")

    async def list_tools(self) -> list[Message]:
        """The tools as listed now."""
        self.list_changed = False
        tools = await self.listing("tools/list", "tools")
        self._schemas = {tool["name"]: tool.get("inputSchema") for tool in tools}
        return tools

    async def _start(self) -> None:
        """Open the session within `start_s`.

        Some servers take nothing but `initialize` as the first request, and exit: they are started once more.
        """
        try:
            async with asyncio.timeout(self.address.start_s):
                try:
                    await self._connect()
                except ConnectionEndedError:
                    if not self.address.command or self._asked != ["server/discover"]:
                        raise
                    await self._end(at_once=True)
                    self._only_initialize = True
                    await self._connect()
        except ConnectionEndedError:
            raise await self._close_error(self._start_problem()) from None
        except TimeoutError:
            open_request = f": it did not answer {self._asked[-1]}" if self._asked else ""
            raise await self._close_error(
                f"was not ready after {self.address.start_s:g} s{open_request}"
            ) from None
        except BaseException:
            await self._end(at_once=True)
            raise

    def _start_problem(self) -> str:
        if self.address.url:
            return "closed the connection before it was ready" if self.has_exited else "cannot be reached"
        return "exited before it was ready" if self.has_exited else "could not be started"

    async def _connect(self) -> None:
        connected: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asked = []
        self._begin(self._live(connected))
        assert self._life is not None
        await asyncio.wait({connected, self._life}, return_when="FIRST_COMPLETED")
        if not connected.done():
            raise ConnectionEndedError
        await self._negotiate()

    async def _negotiate(self) -> None:
        """Agree on the newest version of the protocol that the server and the installed SDK speak."""
        stateless = self._sdk.stateless_versions
        reply: Message = {}
        version = "" if self._only_initialize else newest(stateless, stateless)
        for _ in range(3):
            self._protocol = version
            if version:
                reply = await self._discover()
                offered = _result_of(reply).get("supportedVersions")
                if shared := newest(stateless, offered):
                    self._protocol = shared
                    self.server = greeting(shared, _result_of(reply))
                    await self._subscribe()
                    return
            else:
                reply = await self._initialize()
                self._protocol = newest(self._sdk.versions, [_result_of(reply).get("protocolVersion")])
                if self._protocol:
                    self.server = _result_of(reply)
                    self._only_initialize = True
                    await self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
                    return
            other = newest(stateless, _versions_of_refusal(reply))
            if not version and not other:
                break
            version = "" if other == version else other
        versions = [*(stateless[-1:] if "server/discover" in self._asked else ()), self._sdk.versions[-1]]
        asked = f"asked for protocol {' or '.join(versions)}"
        raise await self._close_error(f"refused the connection: {asked}, it answered {error_text(reply)}")

    async def _discover(self) -> Message:
        self._asked.append("server/discover")
        try:
            async with asyncio.timeout(min(DISCOVERY_S, self.address.start_s / 2)):
                return await self.reply_to("server/discover")
        except TimeoutError:
            return {}

    async def _initialize(self) -> Message:
        self._asked.append("initialize")
        params = {
            "protocolVersion": self._sdk.versions[-1],
            "capabilities": self._capabilities(),
            "clientInfo": CLIENT,
        }
        return await self.reply_to("initialize", params)

    async def _subscribe(self) -> None:
        """Have changes of the list of tools announced: without a handshake nothing is announced by itself."""
        offers = self.server.get("capabilities")
        tools = offers.get("tools") if isinstance(offers, dict) else None
        if isinstance(tools, dict) and tools.get("listChanged"):
            self._last_id += 1  # its reply comes when the server ends, and is not waited for
            wanted = {"notifications": {"toolsListChanged": True}}
            await self._write(self._request(self._last_id, "subscriptions/listen", wanted))

    def _capabilities(self) -> Message:
        return {} if self.address.elicitation is None else {"elicitation": {}}

    def _request(self, number: int, method: str, params: Message | None = None) -> Message:
        """A request; without a handshake each one says what it is written in, and by whom."""
        if self._protocol in self._sdk.stateless_versions:
            meta = {
                PROTOCOL_VERSION: self._protocol,
                CLIENT_INFO: CLIENT,
                CLIENT_CAPABILITIES: self._capabilities(),
            }
            params = {**(params or {}), "_meta": meta}
        stated = {} if params is None else {"params": params}
        return {"jsonrpc": "2.0", "id": number, "method": method, **stated}

    def _abandon(self, number: int) -> None:
        """Tell the server that nobody waits for a reply any more, without waiting for it."""
        message: Message = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": number},
        }

        async def tell() -> None:
            with contextlib.suppress(ConnectionEndedError, TimeoutError):
                await asyncio.wait_for(self._write(message), 1.0)

        notice = asyncio.ensure_future(tell())
        self._notices.add(notice)
        notice.add_done_callback(self._notices.discard)

    async def _live(self, connected: asyncio.Future[None]) -> None:
        """Hold the connection open until it is stopped, or ends."""
        async with self.streams(self._sdk) as (read, write):
            self._send = lambda plain: write.send(self._sdk_message(plain))
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

    def _sdk_message(self, plain: Message) -> Any:
        params = plain.get("params") or {}
        schema = self._schemas.get(params.get("name", ""))
        return wrap_message(plain, self._sdk, request_headers(plain, self._sdk, self._protocol, schema))

    async def _read(self, stream: Any) -> None:
        try:
            async for session_message in stream:
                self._unasked += bool(self._open)
                if self._unasked > MOST_MESSAGES:
                    raise self._failure(f"sent {MOST_MESSAGES:,} messages instead of an answer")
                if not isinstance(session_message, Exception):
                    await self._take(read_message(session_message))
            self.has_exited = True
        finally:
            self._stop.set()
            for reply in self._open.values():
                if not reply.done():
                    reply.set_exception(ConnectionEndedError())

    async def _take(self, message: Message) -> None:
        if self._listener is not None:
            self._listener.received(message)
        if "method" not in message:
            reply = self._open.get(message.get("id", 0))
            if reply is not None and not reply.done():
                self._unasked = 0
                reply.set_result(message)
        elif "id" in message:
            answer = answer_to(self.address, message)
            await self._send({"jsonrpc": "2.0", "id": message["id"], **answer})
        elif message["method"] == "notifications/tools/list_changed":
            self.list_changed = True

    async def _write(self, message: Message) -> None:
        if self._listener is not None:
            self._listener.sent(message)
        try:
            await self._send(message)
        except Exception:  # the transport has closed its end
            raise ConnectionEndedError from None


CLIENT = {"name": "rightcall", "version": "1"}


def newest(versions: tuple[str, ...], offered: Any) -> str:
    """The last of our versions, from old to new, that a server offers; "" when there is none."""
    offers = offered if isinstance(offered, list | tuple) else ()
    return next((version for version in reversed(versions) if version in offers), "")


def error_text(reply: Message) -> str:
    """What a server answered instead of a result."""
    error = reply.get("error")
    if not isinstance(error, dict):
        stated = _result_of(reply).get("protocolVersion") or _result_of(reply).get("supportedVersions")
        return f"protocol {one_line(str(stated), 100)}" if stated else "nothing that could be read"
    versions = _versions_of_refusal(reply)
    supported = f" (it speaks {', '.join(versions)})" if versions else ""
    return f"error {error.get('code')}: {one_line(str(error.get('message', '')), 200)}{supported}"


def _result_of(reply: Message) -> Message:
    result = reply.get("result")
    return result if isinstance(result, dict) else {}


def _versions_of_refusal(reply: Message) -> list[str]:
    """The versions that a server names when it refuses ours."""
    error = reply.get("error")
    data = error.get("data") if isinstance(error, dict) and error.get("code") == UNSUPPORTED_VERSION else None
    versions = data.get("supported") if isinstance(data, dict) else None
    return [str(version)[:20] for version in versions[:20]] if isinstance(versions, list) else []
