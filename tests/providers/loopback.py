"""Servers on this machine for the providers to talk to, each in a thread with its own event loop."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class Seen:
    """What reached a server."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


Answer = Callable[[dict[str, Any]], dict[str, Any]]
Raw = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextmanager
def status_server(status: int) -> Iterator[Seen]:
    """Answers every GET with one status and no body."""
    seen = Seen()

    async def handle(request: web.Request) -> web.Response:
        seen.paths.append(request.path)
        return web.Response(status=status)

    async def start() -> tuple[int, Callable[[], Awaitable[None]]]:
        app = web.Application()
        app.router.add_get("/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        seen.url = f"http://127.0.0.1:{port}"
        yield seen


@contextmanager
def json_server(answer: Answer) -> Iterator[Seen]:
    """Answers every POST with `answer(body)`; an AssertionError in it becomes a 400 with its words."""
    seen = Seen()

    async def handle(request: web.Request) -> web.Response:
        assert request.content_type == "application/json"
        body = json.loads(await request.text())
        seen.bodies.append(body)
        seen.paths.append(request.path)
        seen.headers.append({name.lower(): value for name, value in request.headers.items()})
        try:
            return web.json_response(answer(body))
        except AssertionError as error:
            return web.json_response({"error": {"message": f"strict: {error}"}}, status=400)

    async def start() -> tuple[int, Callable[[], Awaitable[None]]]:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        seen.url = f"http://127.0.0.1:{port}"
        yield seen


@contextmanager
def raw_server(talk: Raw, tls: ssl.SSLContext | None = None, *, listens: bool = True) -> Iterator[str]:
    """Reads one request, then lets `talk` write any bytes it likes, and closes the connection."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if listens:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
                await reader.readexactly(length)
            await talk(reader, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def start() -> tuple[int, Callable[[], Awaitable[None]]]:
        server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)

        async def stop() -> None:
            server.close()

        return server.sockets[0].getsockname()[1], stop

    with _in_thread(start) as port:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{port}"


@contextmanager
def canned(content: bytes, status: str = "200 OK", **headers: str) -> Iterator[str]:
    """A server that gives one HTTP answer to everything."""
    fields = {
        "content-type": "application/json",
        "content-length": str(len(content)),
        "connection": "close",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + content)

    with raw_server(talk) as url:
        yield url


@contextmanager
def _in_thread(start: Callable[[], Awaitable[tuple[int, Callable[[], Awaitable[None]]]]]) -> Iterator[int]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    port, stop = asyncio.run_coroutine_threadsafe(start(), loop).result(300)
    try:
        yield port
    finally:
        asyncio.run_coroutine_threadsafe(_finish(stop), loop).result(300)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(300)
        loop.close()


async def _finish(stop: Callable[[], Awaitable[None]]) -> None:
    await _rounds()  # connections being accepted just now
    await stop()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await _rounds()  # transports that are closing


async def _rounds() -> None:
    for _ in range(5):
        await asyncio.sleep(0)
