"""The server: where it listens, what it prints, and how it stops."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import cast

import h11
import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from rightcall.core.errors import ConfigError, InfrastructureError, MissingExtraError
from rightcall.store.sql.store import Store

FIRST_PORT = 8765
PORTS_TRIED = 20


class Listening(msgspec.Struct, frozen=True):
    """An open dashboard: the URL to show, and its socket."""

    socket: socket.socket
    address: str
    token: str


@contextmanager
def bind_port(host: str, port: int | None, token: str | None) -> Iterator[Listening]:
    """Bind a port: by default the first free one from 8765; a requested port must be free.

    On any interface but loopback a token is always required: the given one, or a new one.
    """
    from rightcall.show.dashboard.access import is_loopback

    needed = token if token is not None else "" if is_loopback(host) else secrets.token_urlsafe(24)
    if token is not None and len(token) < 8:
        raise ConfigError("--token must have at least 8 characters; omit it to generate one")
    taken = _bound(host, port)
    try:
        at = taken.getsockname()[1]
        shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104
        name = f"[{shown}]" if ":" in shown else shown
        yield Listening(taken, f"http://{name}:{at}/{f'?token={needed}' if needed else ''}", needed)
    finally:
        taken.close()


def serve(store: Store, here: Listening, names: Iterable[str] = ()) -> None:
    """Serve until Ctrl-C; requests in progress are completed."""
    import uvicorn

    from rightcall.show.dashboard.access import Access
    from rightcall.show.dashboard.app import make_app
    from rightcall.show.dashboard.page_renderer import compile_templates

    app = make_app(store, Access(here.token, names))
    threading.Thread(target=compile_templates, args=(app.state.templates,), daemon=True).start()
    config = uvicorn.Config(
        app,
        http=deadline_protocol(),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=64 * 1024,
        limit_concurrency=200,
    )
    uvicorn.Server(config).run(sockets=[here.socket])


def require_packages() -> None:
    """Say what to install before anything is opened."""
    for package in ("starlette", "jinja2", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            raise MissingExtraError("the dashboard", package, "web") from None


def _bound(host: str, port: int | None) -> socket.socket:
    ports = [port] if port is not None else range(FIRST_PORT, FIRST_PORT + PORTS_TRIED)
    problem: OSError | None = None
    for candidate_port in ports:
        try:
            family, _, _, _, address = socket.getaddrinfo(host, candidate_port, type=socket.SOCK_STREAM)[0]
            return socket.create_server(address[:2], family=family, backlog=128)
        except socket.gaierror as error:
            raise ConfigError(f"--host {host}: {error.strerror}; use an address of this machine") from None
        except OSError as error:
            problem = error
    last = FIRST_PORT + PORTS_TRIED - 1
    tried = f"any port from {FIRST_PORT} to {last}" if port is None else f"port {port}"
    reason, which = problem.strerror if problem else "", "one" if port is None else "another"
    raise InfrastructureError(f"cannot bind {tried} on {host}: {reason}; choose {which} with --port")


SECONDS = 10.0
MOST_WAITING = 100


def deadline_protocol(seconds: float = SECONDS, most: int = MOST_WAITING) -> type[H11Protocol]:
    """The protocol for one server; its connections share the list of those that wait."""
    shared = {"waiting": {}, "seconds": seconds, "most": most}
    return cast("type[H11Protocol]", type("Limited", (DeadlineProtocol,), shared))


class DeadlineProtocol(H11Protocol):
    """HTTP/1.1 on one connection. It waits from its beginning, or the first byte of a request, to the last one."""

    waiting: dict[DeadlineProtocol, asyncio.TimerHandle]
    seconds: float
    most: int

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        self._wait()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self in self.waiting:
            return
        self.waiting[self] = self.loop.call_later(self.seconds, self._give_up)
        if len(self.waiting) > self.most:
            next(iter(self.waiting))._give_up()  # dicts keep their order: the oldest is first

    def _wait_no_more(self) -> None:
        timer = self.waiting.pop(self, None)
        if timer is not None:
            timer.cancel()

    def _give_up(self) -> None:
        self._wait_no_more()
        self.transport.abort()
