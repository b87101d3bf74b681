"""A toolbox as an MCP server: every call goes through the whole pipeline, and errors keep the contract."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from rightcall.errors import MissingExtraError
from rightcall.model.call import ToolCall
from rightcall.model.dialects.mcp import write_tool
from rightcall.tools.mcp.results import answer_of
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
        from mcp.server.lowlevel import Server  # type: ignore[import-not-found,unused-ignore]
        from mcp.types import (  # type: ignore[import-not-found,unused-ignore]
            CallToolResult,
            ListToolsResult,
        )
    except ImportError:
        raise MissingExtraError("serving tools over MCP", "mcp", "mcp") from None
    context = toolbox.context(run="mcp", task=name)

    async def list_tools(ctx: Any, params: Any) -> Any:
        return ListToolsResult.model_validate({"tools": [write_tool(tool) for tool in toolbox.tools]})

    async def call_tool(ctx: Any, params: Any) -> Any:
        call = ToolCall(params.name, dict(params.arguments or {}), uuid.uuid4().hex)
        _REPORT.set(ctx.session.report_progress)
        try:
            invocation = await toolbox.invoke(call, context)
        except Aborted as stop:
            (invocation,) = stop.invocations
        context.invocations.clear()  # a server is long-lived, and they are not read here
        context.ledger.keep_last(MOST_ENTRIES)
        return CallToolResult.model_validate(answer_of(invocation))

    return Server(name, on_list_tools=list_tools, on_call_tool=call_tool)


async def serve_stdio(toolbox: Toolbox, name: str = "rightcall") -> None:
    """Serve over standard input and output until the client goes."""
    server = mcp_server(toolbox, name)
    from mcp.server.stdio import stdio_server  # type: ignore[import-not-found,unused-ignore]

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def serve_http(toolbox: Toolbox, host: str, port: int, name: str = "rightcall") -> None:
    """Serve over streamable HTTP at `http://HOST:PORT/mcp` until it is cancelled."""
    app = mcp_server(toolbox, name).streamable_http_app(host=host)
    try:
        import uvicorn  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("serving tools over HTTP", "uvicorn", "mcp") from None
    await uvicorn.Server(uvicorn.Config(app, host=host, port=port, log_level="warning")).serve()
