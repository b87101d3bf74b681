"""A recording as a server over standard input and output, or over streamable HTTP at `/mcp`.

A recorded call gets its recorded answer. Any other call of a recorded tool is answered with an error that the model can
read, and that names the nearest recorded call; nothing is ever invented.
"""

from __future__ import annotations

import asyncio
import uuid
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

from rightcall.core.codec import decode, encode
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.local_door import LocalDoor
from rightcall.core.redaction.clean_text import scrubber
from rightcall.recording.mcp.session import SERVER_INFO, CallLog, McpSession, SessionPlayer, is_stateless

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web

Message = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
SESSION = "Mcp-Session-Id"
STATELESS = "stateless"
NOT_CACHED = {"ttlMs": 0, "cacheScope": "private"}
MOST_SESSIONS = 10_000
MOST_BYTES = 64 * 1024 * 1024
FIRST_STATELESS = "2026-07-28"
"""The version of the protocol since which there is no handshake: each request says in which version it is written."""
LIST_CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class ReplayServer:
    """A recorded session for any number of clients; `log` is what all of them called."""

    def __init__(self, session: McpSession) -> None:
        self.session = session
        self.log = CallLog()
        self._clean = scrubber()

    def client(self) -> ReplayClient:
        """A new client, to which no answer was given yet."""
        return ReplayClient(SessionPlayer(self.session, self._clean, self.log))


class ReplayClient:
    """One client's conversation."""

    def __init__(self, player: SessionPlayer) -> None:
        self._player = player
        self._session = player.session

    def replies(self, message: Any) -> list[Message]:
        """The answers to a message: none for a notification, and before a reply what the server had to announce."""
        if isinstance(message, list):  # a batch, as one version of the protocol had it
            return list(chain.from_iterable(self.replies(part) for part in message))
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            is_reply = isinstance(message, dict) and ("result" in message or "error" in message)
            return [] if is_reply else [_error(INVALID_REQUEST, "not a JSON-RPC request")]
        if "id" not in message:
            return []
        params = message.get("params")
        listed = self._player.tools
        reply = self._reply(message["method"], params if isinstance(params, dict) else {})
        if is_stateless(message) and "result" in reply:
            reply = {"result": {"resultType": "complete", **NOT_CACHED, **reply["result"]}}
        announced = [LIST_CHANGED] if self._player.tools is not listed else []
        return [*announced, {"jsonrpc": "2.0", "id": message["id"], **reply}]

    def _reply(self, method: str, params: Message) -> Message:
        if method == "tools/call":
            return self._call(params)
        if method == "initialize":
            return {"result": self._greeting(params)}
        if (
            method == "server/discover"
            and str(self._session.server.get("protocolVersion")) >= FIRST_STATELESS
        ):
            said = dict(self._session.server)
            versions = [said.pop("protocolVersion")]
            meta = {SERVER_INFO: said.pop("serverInfo", {})}
            return {"result": {**said, "supportedVersions": versions, "_meta": meta}}
        results: dict[str, Message] = {
            "ping": {},
            "logging/setLevel": {},
            "tools/list": {"tools": list(self._player.tools)},
            "resources/list": {"resources": list(self._session.resources)},
            "resources/templates/list": {"resourceTemplates": []},
            "prompts/list": {"prompts": list(self._session.prompts)},
        }
        if method in results:
            return {"result": results[method]}
        return {"error": {"code": METHOD_NOT_FOUND, "message": f"{method} is not recorded"}}

    def _greeting(self, params: Message) -> Message:
        """What the server said of itself; an older client is answered in its version of the protocol."""
        recorded = {"protocolVersion": "2025-03-26", "capabilities": {"tools": {}}, **self._session.server}
        recorded.setdefault("serverInfo", {"name": "recording", "version": ""})
        asked = params.get("protocolVersion")
        if isinstance(asked, str) and asked < str(recorded["protocolVersion"]):
            recorded["protocolVersion"] = asked
        return recorded

    def _call(self, params: Message) -> Message:
        name = params.get("name")
        arguments = params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            problem = "a call has a name and an object of arguments"
            return {"error": {"code": INVALID_PARAMS, "message": problem}}
        recorded = self._player.answer(name, arguments)
        if recorded is not None:
            return {"error": recorded.error} if recorded.result is None else {"result": recorded.result}
        if not self._player.lists(name):
            return {"error": {"code": INVALID_PARAMS, "message": f"Unknown tool: {name}"}}
        miss = self._player.miss(name, arguments)
        return {"result": {"content": [{"type": "text", "text": encode(miss).decode()}], "isError": True}}


def _error(code: int, text: str) -> Message:
    """The answer to what is no request, and so has no id."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}}


def serve_stdio(server: ReplayServer, source: IO[bytes], target: IO[bytes]) -> None:
    """Answer line by line until the client closes the input."""
    client = server.client()
    for line in source:
        if not line.strip():
            continue
        for reply in _replies(client, _body_value(line)):
            target.write(encode(reply) + b"\n")
        target.flush()


async def serve_http(
    server: ReplayServer, host: str, port: int, ready: Callable[[str, int], object] = lambda host, port: None
) -> None:
    """Serve at `http://HOST:PORT/mcp` until cancelled; `ready` is told where, once it listens."""
    from aiohttp import web

    runner = web.AppRunner(_Endpoint(server, host).app(), access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise ConfigError(
                f"cannot bind {host}:{port}: {error.strerror}; choose another with --http"
            ) from None
        ready(host, runner.addresses[0][1])
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


class _Endpoint:
    """`/mcp`: a client is known by the session id it got with the answer to `initialize`; those without are one."""

    def __init__(self, server: ReplayServer, host: str) -> None:
        self._server = server
        self._door = LocalDoor(names=(host,))
        self._clients: dict[str, ReplayClient] = {}

    def app(self) -> web.Application:
        from aiohttp import web

        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_post("/mcp", self._post)
        app.router.add_delete("/mcp", self._delete)
        return app

    async def _post(self, request: web.Request) -> web.Response:
        from aiohttp import web

        if refusal := self._door.refusal({name.lower(): value for name, value in request.headers.items()}):
            return web.Response(status=refusal[0], text=refusal[1])
        message = _body_value(await request.read())
        headers: dict[str, str] = {}
        session = request.headers.get(SESSION)
        if session is None and is_stateless(message):
            session = STATELESS
            self._clients.setdefault(session, self._server.client())
        elif session is None:
            session = uuid.uuid4().hex
            while len(self._clients) >= MOST_SESSIONS:
                self._clients.pop(next(iter(self._clients)))
            self._clients[session] = self._server.client()
            headers = {SESSION: session}
        client = self._clients.get(session)
        if client is None:
            return web.Response(status=404, text="no such session")
        return _response(_replies(client, message), headers)

    async def _delete(self, request: web.Request) -> web.Response:
        from aiohttp import web

        self._clients.pop(request.headers.get(SESSION, ""), None)
        return web.Response(status=200)


def _response(replies: list[Message], headers: dict[str, str]) -> web.Response:
    from aiohttp import web

    if not replies:
        return web.Response(status=202, headers=headers)
    if len(replies) == 1:
        return web.Response(body=encode(replies[0]), content_type="application/json", headers=headers)
    events = b"".join(b"event: message\ndata: " + encode(reply) + b"\n\n" for reply in replies)
    return web.Response(body=events, content_type="text/event-stream", headers=headers)


def _body_value(data: bytes) -> Any:
    try:
        return decode(data, object, "message")
    except InputError as error:
        return error


def _replies(client: ReplayClient, message: Any) -> list[Message]:
    return [_error(PARSE_ERROR, str(message))] if isinstance(message, InputError) else client.replies(message)
