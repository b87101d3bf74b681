"""The server: where it listens, what it prints, and how it stops."""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rightcall.core.digest import digest_of_parts
from rightcall.core.errors import ConfigError, InfrastructureError, InputError
from rightcall.limbs.dashboard.access import CSRF_FIELD, Access
from rightcall.limbs.dashboard.links import FIELDS, form_fields
from rightcall.limbs.dashboard.page_renderer import make_environment, page
from rightcall.limbs.dashboard.pages import all_routes
from rightcall.limbs.dashboard.views import Cache
from rightcall.show.html import HERE
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
    from rightcall.limbs.dashboard.access import is_loopback

    needed = token if token is not None else "" if is_loopback(host) else secrets.token_urlsafe(24)
    if token is not None and len(token) < 8:
        raise ConfigError("--token must have at least 8 characters; omit it to generate one")
    bound_socket = _bound(host, port)
    try:
        at = bound_socket.getsockname()[1]
        host_name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104
        name = f"[{host_name}]" if ":" in host_name else host_name
        yield Listening(bound_socket, f"http://{name}:{at}/{f'?token={needed}' if needed else ''}", needed)
    finally:
        bound_socket.close()


def serve(store: Store, here: Listening, names: Iterable[str] = ()) -> None:
    """Serve until Ctrl-C; requests in progress are completed."""
    import uvicorn

    from rightcall.limbs.dashboard.access import Access
    from rightcall.limbs.dashboard.page_renderer import compile_templates

    app = make_app(store, Access(here.token, names))
    threading.Thread(target=compile_templates, args=(app.state.templates,), daemon=True).start()
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        http="h11",
        h11_max_incomplete_event_size=64 * 1024,
        limit_concurrency=200,
    )
    uvicorn.Server(config).run(sockets=[here.socket])


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
    reason = problem.strerror if problem else ""
    which = "one" if port is None else "another"
    raise InfrastructureError(f"cannot bind {tried} on {host}: {reason}; choose {which} with --port")


LARGEST_BODY = 300_000
"""A note of maximum length, every character written as %F0%9F%98%80."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
READS = {"GET", "HEAD"}
OPEN_PATHS = ("/login", "/static/")


class RequestGuard:
    """Middleware: checks the Host, the token, the size and, for a change, its origin."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        guarded = _with_headers(send)
        request = Request(scope, receive)
        refused = self._refusal(request)
        if refused is not None:
            await refused(scope, receive, guarded)
            return
        if request.method in READS:
            await self._app(scope, receive, guarded)
            return
        await self._change(request, guarded)

    def _refusal(self, request: Request) -> Response | None:
        if not self._access.host_is_ours(request.headers):
            return PlainTextResponse(
                "unknown host; open the dashboard by its IP address, or add the name with --allow-host\n",
                421,
            )
        path = request.scope["path"]  # that of the URL depends on the Host, which a client chooses
        if path.startswith(OPEN_PATHS) or self._access.admits(request.headers, request.cookies):
            return None
        if self._access.is_token(request.query_params.get("token", "")):
            return None  # the first page turns it into a cookie
        if request.method in READS and "text/html" in request.headers.get("accept", ""):
            return Response(status_code=303, headers={"location": "/login"})
        return PlainTextResponse("token required\n", 401, {"www-authenticate": "Bearer"})

    async def _change(self, request: Request, send: Send) -> None:
        try:
            body = await _read(request, LARGEST_BODY)
        except ClientDisconnect:
            return  # the client is gone
        fields = form_fields(request.headers, body or b"")
        admitted = self._access.admits(request.headers, request.cookies)
        problem = self._access.refusal_to_write(request.headers, fields.get(CSRF_FIELD, ""), admitted)
        if body is None or problem:
            too_long = f"the body exceeds {LARGEST_BODY:,} bytes"
            refused = PlainTextResponse(
                f"{too_long if body is None else problem}\n", 413 if body is None else 403
            )
            await refused(request.scope, request.receive, send)
            return
        request.scope[FIELDS] = fields

        async def replay() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(request.scope, replay, send)


async def _read(request: Request, most: int) -> bytes | None:
    """The body, or None when it is longer: measured while reading, whatever the header says."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > most:
        return None
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            return None
    return bytes(body)


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return send_with_headers


FOLDER = Path(__file__).parent / "static"
SHARED = HERE / "assets"
STYLES = ("page.css", "case.css")
"""The styles of a page and of a case, the same as in a report."""
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Assets:
    """Styles and scripts by name, read once at the start, so that no request ever becomes a path on disk.

    `stamp` changes when any of them does: it is part of their URLs."""

    def __init__(self) -> None:
        self.files = {
            path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in KINDS
        }
        self.files["style.css"] = b"".join((SHARED / name).read_bytes() for name in STYLES)
        self.stamp = digest_of_parts(self.files.values(), 10)


async def asset(request: Request) -> Response:
    """One file. Modules import each other without a stamp, so they are requested again each time."""
    name = request.path_params.get("name", "mark.svg")
    content = request.app.state.assets.files.get(name)
    if content is None:
        raise HTTPException(404)
    stamped = request.query_params.get("v") == request.app.state.assets.stamp
    keep = "public, max-age=31536000, immutable" if stamped else "no-cache"
    return Response(content, media_type=KINDS[Path(name).suffix], headers={"cache-control": keep})


VIEWS_KEPT = 64

NOT_FOUND = 404
BROKEN = 500
FAILED = 503
TITLES = {404: "Not found", 405: "Method not allowed", 400: "Bad request", 503: "The store did not answer"}


def make_app(store: Store, access: Access | None = None) -> Starlette:
    """The dashboard of an open store; the caller closes the store."""
    app = Starlette(
        routes=[*all_routes(), Route("/static/{name}", asset), Route("/favicon.ico", asset)],
        exception_handlers={
            HTTPException: _http_problem,
            InputError: partial(_problem_of_error, status=NOT_FOUND),
            InfrastructureError: partial(_problem_of_error, status=FAILED),
            Exception: _internal_error,
        },
    )
    app.router.redirect_slashes = False  # one URL per page
    app.state.store = store
    app.state.access = access or Access()
    app.state.assets = Assets()
    app.state.templates = make_environment()
    app.state.views = Cache(VIEWS_KEPT)
    app.add_middleware(RequestGuard, access=app.state.access)
    return app


async def _problem_of_error(request: Request, error: Exception, *, status: int) -> Response:
    return _problem(request, status, str(error))


async def _internal_error(request: Request, error: Exception) -> Response:
    """An internal error. The response bypasses the guard, so the headers are set here; the server logs it."""
    answer = _problem(request, BROKEN, f"{type(error).__name__}; see the terminal where the dashboard runs")
    answer.headers.update({**HEADERS, "cache-control": "no-store"})
    return answer


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = error.detail if error.status_code == 400 else ""
    if error.status_code == NOT_FOUND:
        message = f"The dashboard has no page {request.url.path}"
    return _problem(request, error.status_code, message)


def _problem(request: Request, status: int, message: str) -> Response:
    return page(
        request, "problem.html", status, title=TITLES.get(status, "Something went wrong"), said=message
    )
