"""A recording served over standard input and output, and over streamable HTTP at `/mcp`."""

from __future__ import annotations

import asyncio
import uuid
from typing import IO, TYPE_CHECKING, Any

from rightcall.core.codec import decode, encode
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.local_door import LocalDoor
from rightcall.wings.contracts.replay_server import Message, ReplayClient, ReplayServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web

PARSE_ERROR = -32700
SESSION = "Mcp-Session-Id"
MOST_SESSIONS = 10_000
MOST_BYTES = 64 * 1024 * 1024


def serve_stdio(server: ReplayServer, source: IO[bytes], target: IO[bytes]) -> None:
    """Answer line by line until the client closes the input."""
    client = server.client()
    for line in source:
        if not line.strip():
            continue
        for reply in _replies(client, line):
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
    """`/mcp`: a client is known by the session id it got with the answer to `initialize`."""

    def __init__(self, server: ReplayServer, host: str) -> None:
        self._server, self._door = server, LocalDoor(names=(host,))
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
        body = await request.read()
        session, headers = request.headers.get(SESSION), {}
        if session is None:
            session = uuid.uuid4().hex
            while len(self._clients) >= MOST_SESSIONS:
                self._clients.pop(next(iter(self._clients)))
            self._clients[session], headers = self._server.client(), {SESSION: session}
        client = self._clients.get(session)
        if client is None:
            return web.Response(status=404, text="no such session")
        return _response(_replies(client, body), headers)

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


def _replies(client: ReplayClient, data: bytes) -> list[Message]:
    try:
        message: Any = decode(data, object, "message")
    except InputError as error:
        return [{"jsonrpc": "2.0", "id": None, "error": {"code": PARSE_ERROR, "message": str(error)}}]
    return client.replies(message)
