"""Tools of an MCP server, over stdio or streamable HTTP, through the official SDK.

    async with McpServer(read_address("mcp:uvx mcp-server-time")) as server:
        toolbox = Toolbox(server.entries(), execute="real")

A server that cannot be started raises an `InfrastructureError`. One that dies in a call makes that call fail, and is
restarted for the next one; a call is never sent twice. One that cannot be restarted, or dies in one call after the
other, raises `ToolServerDown`. No process is left running.
"""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Coroutine
from functools import partial
from typing import Any, Self

from rightcall.core.errors import ConfigError, InfrastructureError, InputError, ToolServerDown
from rightcall.model.dialects.mcp import read_tool
from rightcall.model.tool import Tool
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.tools.definitions.behaviour import Behaviour, CallInfo, only_reads
from rightcall.tools.definitions.validate import check_schema
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.connection import (
    HeardStream,
    ServerConnection,
    WatchedStream,
    innermost,
    never_connected,
    reason_of_end,
    session_callbacks,
)
from rightcall.tools.mcp.sdk import McpSdk, field, load_sdk, protocol_failure, result_of
from rightcall.tools.runtime.bound_tool import BoundTool, Late, RunnableTool
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import Effect, NoAnswer, ToolError

CONNECTION_CLOSED = -32000
PARSE_ERROR = -32700
SESSION_GONE = "Session terminated"
"""What the SDK makes of a 404: the server does not know our session, and has not looked at the call."""

NO_ANSWERS = (
    "Server returned an error response",
    "Unexpected content type",
    "server answered a request with 202",
)
"""How the SDK's own errors about a response begin; they have codes that servers use too."""

MOST_DEATHS = 5
"""Connections lost in a row, without one answered call, after which a server is given up."""

RESTARTS, FIRST_PAUSE_S, LONGEST_PAUSE_S = 3, 0.2, 2.0
"""Attempts to start a server again, and the pauses before them, which double."""


class McpServer(ServerConnection):
    """A running server. `tools` are those it listed, `problems` what is wrong with their schemas.

    `name` and `version` are what it says of itself (`serverInfo`). A `listener` hears every message.

    It runs in a separate task, so it may be opened in one task and closed in another.
    """

    def __init__(self, address: McpAddress, listener: SessionRecorder | None = None) -> None:
        super().__init__(address, listener)
        self.tools: list[Tool] = []
        self.problems: list[str] = []
        self.name = self.version = ""
        self._session: Any = None
        self._list_changed = False
        self._deaths = self._in_flight = 0
        self._revival: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._start()
        return self

    async def _start(self) -> None:
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stop, self._mark = asyncio.Event(), uuid.uuid4().hex
        self._life = asyncio.create_task(self._live(started))
        await asyncio.wait({started, self._life}, timeout=self.address.start_s, return_when="FIRST_COMPLETED")
        if started.done():
            started.result()
            return
        ended = self._life.done()
        failure = await self._end(at_once=True)
        if isinstance(cause := innermost(failure), InfrastructureError | ConfigError):
            raise cause
        if ended:
            raise self._failure(f"exited before it was ready{reason_of_end(failure)}")
        raise self._failure(f"was not ready after {self.address.start_s:g} s")

    async def __aexit__(self, *_: object) -> None:
        if self._revival is not None and not self._revival.done():
            self._revival.cancel()
            await asyncio.wait({self._revival})
        await self._end()

    def entries(self) -> list[BoundTool]:
        """The server's tools for a toolbox."""
        usual = Behaviour(timeout_s=self.address.call_s)
        return [BoundTool(tool, usual, partial(self._ready, tool.name)) for tool in self.tools]

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool, on a restarted server if it has exited.

        Raises `ToolError` for an error from the server, `NoAnswer` when it exits in the call or sends something else
        than an answer, and `ToolServerDown` when it cannot be restarted.
        """
        await self._revive()
        if self._list_changed:
            self._list_changed = False
            await self._list()
        if all(tool.name != name for tool in self.tools):
            raise ToolError("unknown_tool", f"the server no longer offers {name}", "use another tool")
        sdk = load_sdk()
        try:
            answer = await self._send_call(name, arguments, sdk)
        except sdk.error as error:
            self._refuse_access()
            raise self._translate_error(error, name) from None
        except RuntimeError as error:  # the SDK's own check of the result against the tool's output schema
            reads = any(tool.name == name and only_reads(tool.annotations) for tool in self.tools)
            effect: Effect | None = None if reads else "unknown"  # it was answered
            raise ToolError("result_malformed", f"{name}: {str(error)[:200]}", effect=effect) from None
        except ValueError:  # an answer that is not one of the protocol
            raise NoAnswer("the server sent something else than an answer") from None
        self._deaths = 0
        return self._clean(result_of(answer, name))

    async def _send_call(self, name: str, arguments: dict[str, Any], sdk: McpSdk) -> Any:
        """The answer to a call. It is sent again, on a new connection, only if the server cannot have looked at it."""
        self._in_flight += 1
        alone, life = self._in_flight == 1, self._life
        try:
            return await self._await_answer(self._session.call_tool(name, arguments))
        except sdk.error as error:
            if self._access is not None and self._access.refusal:
                raise
            closed = error.error.code == CONNECTION_CLOSED and bool(self.address.url)
            alone = alone and closed and self._in_flight == 1  # otherwise another call may be the refused one
            if error.error.message != SESSION_GONE and not (alone and await never_connected(life)):
                raise
        finally:
            self._in_flight -= 1
        if life is self._life:
            await self._end(at_once=True)
        await self._revive()
        return await self._session.call_tool(name, arguments)

    async def _await_answer(self, call: Coroutine[Any, Any, Any]) -> Any:
        """The answer to a call, unless access is refused or the connection ends: version 1 of the SDK would wait on."""
        answer = asyncio.ensure_future(call)
        refused = asyncio.ensure_future(self._access.refused() if self._access else asyncio.Event().wait())
        life = self._life
        try:
            watched = {answer, refused} if life is None else {answer, refused, life}
            await asyncio.wait(watched, return_when="FIRST_COMPLETED")
            if refused.done() and not answer.done():
                self._refuse_access()
            if life is not None and life.done():
                await asyncio.wait({answer}, timeout=0.5)
                if not answer.done():
                    raise NoAnswer("its server has exited" if self.address.command else "its server is gone")
            return await answer
        finally:
            refused.cancel()
            answer.cancel()
            await asyncio.wait({answer, refused})

    async def _revive(self) -> None:
        """Start the server again if it has exited."""
        revival = self._revival
        if revival is None or (revival.done() and revival.exception() is None):
            if self._life is not None and not self._life.done() and not self._stop.is_set():
                return
            revival = self._revival = asyncio.create_task(self._restart())
        await asyncio.shield(revival)  # others wait for it too, and this call may reach its deadline before

    async def _restart(self) -> None:
        await self._end()
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            problem = f"exited in {MOST_DEATHS} calls in a row and answered none; it is not restarted again"
            raise self._failure(problem, ToolServerDown)
        for attempt in range(RESTARTS):
            pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (self._deaths - 1 + attempt))
            await asyncio.sleep(pause * (0.5 + random.random() / 2))  # noqa: S311  spreads restarts of workers
            try:
                await self._start()
                return
            except InfrastructureError as error:
                failure = error
        problem = str(failure).removeprefix(f"{self.address.label} ")
        raise ToolServerDown(
            f"{self.address.label} exited and could not be restarted in {RESTARTS} attempts: it {problem}"
        )

    def _ready(self, name: str, context: CallContext) -> RunnableTool:
        async def run(arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late) -> Any:
            return await self.call(name, arguments)

        return RunnableTool(run, live=True)

    async def _live(self, started: asyncio.Future[None]) -> None:
        """Start the server, list its tools, and keep it running until it is stopped."""
        sdk = load_sdk()
        async with (
            self.streams(sdk) as (read, write),
            sdk.session(
                WatchedStream(read, self._stop, self._listener),
                HeardStream(write, self._listener) if self._listener else write,
                message_handler=self._note_change,
                **session_callbacks(self.address, sdk),
            ) as self._session,
        ):
            server_info = field(await self._session.initialize(), "serverInfo")
            self.name, self.version = str(server_info.name)[:200], str(server_info.version)[:200]
            await self._list()
            if not started.done():
                started.set_result(None)
            await self._stop.wait()

    async def _note_change(self, message: Any) -> None:
        """Note that the server's tools have changed."""
        method = getattr(getattr(message, "root", message), "method", "")
        if method == "notifications/tools/list_changed":
            self._list_changed = True

    async def _list(self) -> None:
        sdk, cursor, raw = load_sdk(), None, []
        for _ in range(1000):  # pages; a server could send them forever
            page = await self._session.list_tools(params=sdk.types.PaginatedRequestParams(cursor=cursor))
            raw += [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in page.tools]
            cursor = field(page, "nextCursor")
            if not cursor:
                break
        self.tools, self.problems = [], []
        for definition in raw:
            try:
                tool = read_tool(definition, self.address.label)
                check_schema(tool)
                self.tools.append(tool)
            except InputError as error:
                self.problems.append(str(error))

    def _refuse_access(self) -> None:
        """Raise `ToolServerDown` if the server refuses our credentials: no other call would pass."""
        if self._access is not None and (problem := self._access.problem()):
            raise self._failure(problem, ToolServerDown)

    def _translate_error(self, error: Any, name: str) -> Exception:
        code = getattr(error.error, "code", 0)
        text = self._clean(str(getattr(error.error, "message", error)))[:300]
        if code == CONNECTION_CLOSED:
            return NoAnswer("its server has exited" if self.address.command else "its server is gone")
        if code == PARSE_ERROR or text.startswith(NO_ANSWERS):
            return NoAnswer("the server sent something else than an answer")
        return protocol_failure(code, text, name)


def empty_schemas(tools: list[Tool]) -> list[str]:
    """The names of tools whose schema says nothing: it declares no parameters and refuses none.

    A model can only guess what such a tool takes. One without parameters should say so, with
    `{"type": "object", "additionalProperties": false}` or empty `properties`.
    """
    return [
        tool.name
        for tool in tools
        if not tool.parameters
        and "properties" not in tool.input_schema
        and tool.input_schema.get("additionalProperties") is not False
        and not any(key in tool.input_schema for key in ("$ref", "allOf", "anyOf", "oneOf"))
    ]
