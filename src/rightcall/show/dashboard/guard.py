"""Checks on every request before it reaches a page, and headers on every response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rightcall.show.dashboard.access import CSRF_FIELD, Access

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
        self._app, self._access = app, access

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
        if body is None:
            answer: Response = PlainTextResponse(f"the body exceeds {LARGEST_BODY:,} bytes\n", 413)
            await answer(request.scope, request.receive, send)
            return
        fields = form_fields(request.headers, body)
        admitted = self._access.admits(request.headers, request.cookies)
        problem = self._access.refusal_to_write(request.headers, fields.get(CSRF_FIELD, ""), admitted)
        if problem:
            answer = PlainTextResponse(problem + "\n", 403)
            await answer(request.scope, request.receive, send)
            return
        request.scope["rightcall.fields"] = fields

        async def replay() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(request.scope, replay, send)


def form_fields(headers: Headers, body: bytes) -> dict[str, str]:
    """The fields of a posted form; the last one wins when a name is repeated."""
    if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        return {}
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50))
    except ValueError:
        return {}


def guard(app: Starlette, access: Access) -> None:
    """Install the guard in front of every page of an app."""
    app.add_middleware(RequestGuard, access=access)


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
