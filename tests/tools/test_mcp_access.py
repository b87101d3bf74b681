"""Remote MCP servers that ask for credentials, for a model's answer or for a form: real servers on this machine."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route

from rightcall.core.errors import ConfigError, InfrastructureError, InputError, ToolServerDown
from rightcall.tools.definitions.function import tool
from rightcall.tools.mcp.address import McpAddress, McpOAuth, read_address
from rightcall.tools.mcp.client import McpServer
from rightcall.tools.mcp.server import http_app, mcp_server
from rightcall.tools.runtime.toolbox import Toolbox
from tests.tools.helpers import a_call, run

TOKEN = "tk-correct-horse-battery"
SECRET = "cs-swordfish-and-more"
ASKS = str(Path(__file__).with_name("asking_server.py"))


@tool
def echo(text: str) -> str:
    """Say it again."""
    return f"{text} {TOKEN}"


class Gate:
    """Passes requests whose `Authorization` or `X-Api-Key` is right, and counts the tokens that it issued."""

    def __init__(self, app: Any, status: int = 401) -> None:
        self.app = app
        self.status = status
        self.accepted = {f"Bearer {TOKEN}"}
        self.issued = 0
        self.seen: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            self.seen.append(headers.get("authorization", ""))
            if headers.get("authorization") not in self.accepted and headers.get("x-api-key") != TOKEN:
                await PlainTextResponse("no", self.status)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def token(self, request: Request) -> JSONResponse:
        sent = base64.b64encode(f"me:{SECRET}".encode()).decode()
        form = await request.form()
        if (
            request.headers.get("authorization") != f"Basic {sent}"
            or form["grant_type"] != "client_credentials"
        ):
            return JSONResponse({"error": "invalid_client"}, 401)
        self.issued += 1
        self.accepted = {f"Bearer issued-{self.issued}-{form['scope']}"}
        granted = {
            "access_token": f"issued-{self.issued}-{form['scope']}",
            "token_type": "Bearer",
            "expires_in": 3600,
        }
        return JSONResponse(granted)


def sse_app(server: Any) -> Any:
    from mcp.server.sse import SseServerTransport

    transport = SseServerTransport("/messages/")

    async def stream(request: Request) -> Any:
        async with transport.connect_sse(request.scope, request.receive, request._send) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        return PlainTextResponse("")

    return Starlette(routes=[Route("/sse", stream), Mount("/messages/", transport.handle_post_message)])


@contextlib.asynccontextmanager
async def served(kind: str = "http", status: int = 401) -> AsyncIterator[tuple[Gate, str]]:
    server = mcp_server(Toolbox([echo], execute="real"))
    gate = Gate(http_app(server) if kind == "http" else sse_app(server), status)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope.get("path") == "/token":
            await (await gate.token(Request(scope, receive)))(scope, receive, send)
        else:
            await gate(scope, receive, send)

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        host = f"http://127.0.0.1:{listening.getsockname()[1]}"
        uvicorn_server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="error",
                lifespan="on" if kind == "http" else "off",
                timeout_graceful_shutdown=1,
            )
        )
        serving = asyncio.create_task(uvicorn_server.serve(sockets=[listening]))
        try:
            yield gate, f"{host}/{'mcp' if kind == 'http' else 'sse'}"
        finally:
            uvicorn_server.should_exit = True
            await serving


def called(make: Callable[[str], McpAddress], kind: str = "http", status: int = 401) -> Any:
    """The result of a call to a gated server at the address that `make` makes of its URL."""

    async def scenario() -> Any:
        async with served(kind, status) as (gate, url), McpServer(make(url)) as server:
            box = Toolbox(server.entries(), execute="real")
            return (await box.invoke(a_call("echo", text="x"), box.context())).call.output, gate, server

    return run(scenario())


WAYS: dict[str, Callable[[str], dict[str, Any]]] = {
    "headers": lambda url: {"headers": {"X-Api-Key": TOKEN}},
    "headers from the environment": lambda url: {"headers": {"Authorization": "Bearer ${MY_ACCESS}"}},
    "oauth": lambda url: {
        "oauth": {
            "token_url": f"{url.rpartition('/')[0]}/token",
            "client_id": "me",
            "client_secret_env": "MY_CLIENT",
            "scope": "tools",
        }
    },
}


WRONG = {"headers": {"Authorization": "Bearer ${OTHER}"}}


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_ACCESS", TOKEN)
    monkeypatch.setenv("MY_CLIENT", SECRET)


@pytest.mark.parametrize("kind", ["http", "sse"])
@pytest.mark.parametrize("way", WAYS)
def test_credentials_give_access_and_are_in_no_result(way: str, kind: str):
    output, gate, server = called(lambda url: read_address({"url": url, **WAYS[way](url)}), kind)
    assert output == (
        f"x {TOKEN}" if way == "oauth" else "x ***"
    )  # a token of another way is not ours to hide
    assert gate.issued == (1 if way == "oauth" else 0)
    assert (server.name, bool(server.version)) == ("rightcall", True)
    assert TOKEN not in repr(server.address) and SECRET not in repr(server.address)


@pytest.mark.parametrize("kind", ["http", "sse"])
@pytest.mark.parametrize(
    ("more", "status", "told"),
    [
        ({}, 401, r"requires credentials \(401\): set `headers"),
        (WRONG, 401, r"refused the credentials \(401\): check `headers`"),
        (WRONG, 403, r"refused access \(403\)"),
    ],
)
def test_a_refusal_says_so_and_what_to_do(monkeypatch, kind, more, status, told):
    monkeypatch.setenv("OTHER", "wrong-but-secret")
    with pytest.raises(InfrastructureError, match=told) as error:
        called(lambda url: read_address({"url": url, **more}), kind, status)
    assert "wrong-but-secret" not in str(error.value)


def test_a_wrong_client_secret_is_named_without_it(monkeypatch):
    monkeypatch.setenv("MY_CLIENT", "wrong-client-secret")
    with pytest.raises(
        InfrastructureError, match=r"gave no token \(status 401\): check `oauth.client_id`"
    ) as error:
        called(lambda url: read_address({"url": url, **WAYS["oauth"](url)}))
    assert "wrong-client-secret" not in str(error.value)


def test_a_variable_that_is_not_set_is_named(monkeypatch):
    monkeypatch.delenv("MY_ACCESS")
    with pytest.raises(ConfigError, match="environment variable MY_ACCESS"):
        called(lambda url: read_address({"url": url, **WAYS["headers from the environment"](url)}))


def test_a_token_that_expires_in_a_run_is_renewed_and_a_revoked_one_ends_it():
    async def scenario() -> Any:
        async with served() as (gate, url):
            async with McpServer(read_address({"url": url, **WAYS["oauth"](url)})) as server:
                gate.accepted = set()  # as if it had expired
                renewed = await server.call("echo", {"text": "x"})
            gate.accepted = {f"Bearer {TOKEN}"}
            async with McpServer(
                read_address({"url": url, **WAYS["headers from the environment"](url)})
            ) as server:
                gate.accepted = set()
                with pytest.raises(ToolServerDown, match=r"refused the credentials \(401\)"):
                    await server.call("echo", {"text": "x"})
            return renewed, gate.issued

    assert run(scenario()) == (f"x {TOKEN}", 2)


def asking(**more: Any) -> McpAddress:
    return McpAddress((sys.executable, ASKS), **more)


def answered(address: McpAddress, name: str) -> Any:
    async def scenario() -> Any:
        async with McpServer(address) as server:
            box = Toolbox(server.entries(), execute="real")
            made = await box.invoke(a_call(name), box.context())
            return made.call.output if made.error is None else made.error.detail

    return run(scenario())


def test_a_form_is_answered_as_the_suite_says():
    address = asking(elicitation={"seats": 2, "other": "unasked"})
    assert answered(address, "ask") == "elicited: accept {'seats': 2}"


def test_what_the_suite_does_not_answer_is_refused():
    assert "not supported" in answered(asking(), "sample").lower()
    assert "not supported" in answered(asking(), "ask").lower()
    without_content = asking(elicitation={})
    assert "no value for 'seats'" in answered(without_content, "ask")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({"command": ["x"], "headers": {"a": "b"}}, "are for a url"),
        ({"url": "http://x", "oauth": {"client_id": "i"}}, "oauth"),
        ({"url": "http://x", "token": "t"}, "unknown field 'token'"),
        ({"url": "http://x", "elicitation": "yes"}, "elicitation"),
    ],
)
def test_an_address_with_a_mistake_is_refused(source, told):
    with pytest.raises(InputError, match=told):
        read_address(source)


def test_oauth_is_read_from_a_suite():
    given = {"token_url": "https://a.test/token", "client_id": "me", "client_secret_env": "S"}
    assert read_address({"url": "https://x.test/mcp", "oauth": given}).oauth == McpOAuth(**given)
