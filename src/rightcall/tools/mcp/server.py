"""A toolbox as an MCP server: every call goes through the whole pipeline, and errors keep the contract."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from rightcall.core.errors import MissingExtraError
from rightcall.records.call import ToolCall
from rightcall.records.dialects.mcp import write_tool
from rightcall.tools.mcp.sdk import answer_of
from rightcall.tools.runtime.errors import Aborted
from rightcall.tools.runtime.toolbox import Toolbox

Report = Callable[[float, float | None, str | None], Awaitable[None]]
_REPORT: ContextVar[Report | None] = ContextVar("report", default=None)


async def report_progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Report the progress of the served call to the client. No effect outside a call or if the client did not ask."""
    report = _REPORT.get()
    if report is not None:
        await report(done, total, message)


MOST_ENTRIES = 10_000
"""Entries of the ledger that a server keeps."""


def mcp_server(toolbox: Toolbox, name: str = "rightcall") -> Any:
    """The toolbox as a low-level server of the SDK. One server is one task: keys are shared by its clients."""
    try:
        from mcp import types  # type: ignore[import-not-found,unused-ignore]
        from mcp.server.lowlevel import Server  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("serving tools over MCP", "mcp", "mcp") from None
    context = toolbox.context(run="mcp", task=name)

    def listing() -> Any:
        return types.ListToolsResult.model_validate({"tools": [write_tool(tool) for tool in toolbox.tools]})

    async def answer(params: Any, report: Report) -> Any:
        call = ToolCall(params.name, dict(params.arguments or {}), uuid.uuid4().hex)
        _REPORT.set(report)
        try:
            invocation = await toolbox.invoke(call, context)
        except Aborted as stop:
            (invocation,) = stop.invocations
        context.invocations.clear()  # a server is long-lived, and they are not read here
        context.ledger.keep_last(MOST_ENTRIES)
        return types.CallToolResult.model_validate(answer_of(invocation))

    if not hasattr(Server, "streamable_http_app"):
        return _first_version(Server(name, version=_version()), types, listing, answer)

    async def list_tools(ctx: Any, params: Any) -> Any:
        return listing()

    async def call_tool(ctx: Any, params: Any) -> Any:
        return await answer(params, ctx.session.report_progress)

    return Server(name, version=_version(), on_list_tools=list_tools, on_call_tool=call_tool)


def _version() -> str:
    from importlib.metadata import version

    return version("rightcall")


def _first_version(server: Any, types: Any, listing: Callable[[], Any], answer: Any) -> Any:
    """The handlers of a server in version 1 of the SDK."""

    async def list_tools(request: Any) -> Any:
        return types.ServerResult(listing())

    async def call_tool(request: Any) -> Any:
        current = server.request_context
        token = getattr(current.meta, "progressToken", None)

        async def report(done: float, total: float | None, message: str | None) -> None:
            if token is not None:
                await current.session.send_progress_notification(token, done, total, message)

        return types.ServerResult(await answer(request.params, report))

    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server


def http_app(server: Any, host: str = "127.0.0.1") -> Any:
    """A server as an application for streamable HTTP at `/mcp`."""
    if hasattr(server, "streamable_http_app"):
        return server.streamable_http_app(host=host)
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # type: ignore[import-not-found,unused-ignore]
    from mcp.server.transport_security import TransportSecuritySettings  # type: ignore[import-not-found,unused-ignore]
    from starlette.applications import Starlette
    from starlette.routing import Route

    local = ["127.0.0.1:*", "localhost:*", "[::1]:*"]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=host in ("127.0.0.1", "localhost", "::1"),
        allowed_hosts=local,
        allowed_origins=[f"http://{name}" for name in local],
    )
    manager = StreamableHTTPSessionManager(server, security_settings=security)

    class Endpoint:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await manager.handle_request(scope, receive, send)

    return Starlette(routes=[Route("/mcp", endpoint=Endpoint())], lifespan=lambda app: manager.run())


async def serve_stdio(toolbox: Toolbox, name: str = "rightcall") -> None:
    """Serve over standard input and output until the client goes."""
    server = mcp_server(toolbox, name)
    from mcp.server.stdio import stdio_server  # type: ignore[import-not-found,unused-ignore]

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def serve_http(toolbox: Toolbox, host: str, port: int, name: str = "rightcall") -> None:
    """Serve over streamable HTTP at `http://HOST:PORT/mcp` until it is cancelled."""
    app = http_app(mcp_server(toolbox, name), host)
    try:
        import uvicorn  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("serving tools over HTTP", "uvicorn", "mcp") from None
    await uvicorn.Server(uvicorn.Config(app, host=host, port=port, log_level="warning")).serve()
