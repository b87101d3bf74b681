"""An HTTP server for OTLP, in which nobody can keep a connection without using it.

aiohttp limits the time between requests, but not the time for the first line and the headers, nor the number of
connections. Both are limited here, without its private parts: each connection is a thin layer around aiohttp's.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import time
from collections.abc import Callable
from typing import Any

from rightcall.core.local_door import LocalDoor
from rightcall.wings.traces.dialects import all_dialects
from rightcall.wings.traces.otlp_load import BodyReader, RequestThreads
from rightcall.wings.traces.otlp_request import unpack_body

HEAD_SECONDS, SWEEP_SECONDS, LINGER_SECONDS = 10.0, 1.0, 1.0
MAX_CONNECTIONS, MANY_LOST = 500, 50
BACKLOG, ACCEPTED_AT_ONCE = 1024, 16
"""A short queue drops the connection of an ordinary sender when many others connect, and it tries again a second later;
asyncio would accept as many as the queue holds before it answers anybody."""
TRUSTED_SECONDS = 10.0
"""How much longer a connection may rest that has been answered well: exporters send every few seconds."""

Refuse = Callable[[Any, int, str], Any]
"""Makes the response to a request that may not pass: request, status, reason."""


class OtlpConnection(asyncio.Protocol):
    """One connection. `waits_since` is when its sender began to owe us something: a head, or the rest of a body.
    `rests_since` is when it last was our turn, and `trusted` whether a request of it was answered well."""

    def __init__(self, inner: Any, server: OtlpServer) -> None:
        self._inner, self._server = inner, server
        self.transport: asyncio.Transport | None = None
        self.rests_since = time.monotonic()
        self.waits_since: float | None = self.rests_since
        self.trusted = False
        self.in_request = False

    @property
    def used(self) -> float:
        """When it was last of use; the least recently used goes when there are too many."""
        since = self.rests_since if self.waits_since is None else self.waits_since
        return since + TRUSTED_SECONDS if self.trusted else since

    def answered(self, status: int) -> None:
        """A request has been answered: from now on the connection rests."""
        self.in_request, self.waits_since, self.rests_since = False, None, time.monotonic()
        self.trusted = self.trusted or status < 400

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._server.add(self)
        self._inner.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.remove(self)
        self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.waits_since is None and not self.in_request:
            self.waits_since = time.monotonic()
        self._inner.data_received(data)

    def eof_received(self) -> Any:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()


class OtlpServer:
    """Serves an application: every path passes the door first, and bodies are read by `bodies`."""

    def __init__(self, door: LocalDoor, refuse: Refuse, logger: logging.Logger | None = None) -> None:
        self._door, self._refuse, self._logger = door, refuse, logger
        self._connections: dict[Any, OtlpConnection] = {}
        self._runner: Any = None
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._lost = 0
        self.bodies, self.threads = BodyReader(), RequestThreads()

    def app(self, routes: dict[tuple[str, str], Any]) -> Any:
        """The application of these handlers, by method and path."""
        from aiohttp import web

        @web.middleware
        async def admit(request: Any, handler: Any) -> Any:
            connection = self._connections.get(request.transport)
            if connection is not None:
                connection.in_request = True
            status = 500
            try:
                refusal = self._door.refusal(request.headers)
                answer = await handler(request) if refusal is None else self._refuse(request, *refusal)
                status = answer.status
                return answer
            finally:
                if connection is not None:
                    connection.answered(status)

        app = web.Application(middlewares=[admit])
        for (method, path), handler in routes.items():
            app.router.add_route(method, path, handler)
        return app

    async def body(self, request: Any) -> bytes:
        """The unpacked body of a request; `SlowBodyError`, `TooLarge` or `BusyError` when it cannot be taken."""
        content = await self.bodies.read(request)
        if (connection := self._connections.get(request.transport)) is not None:
            connection.waits_since = None  # from now on it is our turn
        encoding = request.headers.get("content-encoding", "")
        return await self.threads.run(len(content), unpack_body, content, encoding)

    async def start(self, app: Any, host: str, port: int, *, stop_seconds: float = 5.0) -> int:
        """Listen, and say on which port; `OSError` when that is not possible."""
        from aiohttp import web

        all_dialects()  # a package that cannot be loaded is an error now, not at the first span

        options: dict[str, Any] = {
            "auto_decompress": False,
            "access_log": None,
            "lingering_time": LINGER_SECONDS,
        }
        if self._logger is not None:
            options["logger"] = self._logger
        runner = web.AppRunner(app, shutdown_timeout=stop_seconds, **options)
        await runner.setup()
        self._runner = runner
        loop = asyncio.get_running_loop()

        def connect() -> OtlpConnection:
            assert runner.server is not None
            return OtlpConnection(runner.server(), self)

        try:
            self._server = await loop.create_server(connect, host, port, backlog=ACCEPTED_AT_ONCE)
        except OSError:
            await self.stop()
            raise
        for listener in self._server.sockets:
            same = socket.socket(fileno=listener.fileno())
            same.listen(BACKLOG)
            same.detach()  # the listener closes it
        self._sweeper = asyncio.create_task(self._sweep())
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Answer what was received, and close."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        if self._server is not None:
            self._server.close()
        if self._runner is not None:
            await self._runner.cleanup()
        self.threads.close()
        self._sweeper = self._server = self._runner = None

    def add(self, connection: OtlpConnection) -> None:
        """A new connection; when there are too many, the least recently used goes that we are not working for."""
        if len(self._connections) >= MAX_CONNECTIONS:
            others = [o for o in self._connections.values() if o.waits_since is not None or not o.in_request]
            self._drop(min(others, key=lambda other: other.used, default=connection))
        self._connections[connection.transport] = connection

    def remove(self, connection: OtlpConnection) -> None:
        self._lost += self._connections.pop(connection.transport, None) is not None

    def _drop(self, connection: OtlpConnection) -> None:
        self.remove(connection)
        if connection.transport is not None:
            connection.transport.abort()

    async def _sweep(self) -> None:
        """Close connections whose head does not arrive; bodies have another limit."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            before = time.monotonic() - HEAD_SECONDS
            for connection in list(self._connections.values()):
                since = connection.waits_since
                if not connection.in_request and since is not None and since < before:
                    self._drop(connection)
            if self._lost >= MANY_LOST:  # each leaves its buffers in a cycle, which Python would collect late
                self._lost = 0
                gc.collect()
