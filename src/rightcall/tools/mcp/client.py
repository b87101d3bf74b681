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
from functools import partial
from typing import Any

from rightcall.core.errors import InfrastructureError, InputError, ToolServerDown
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.records.dialects.mcp import read_tool
from rightcall.records.tool import Tool
from rightcall.tools.definitions.behaviour import Behaviour, CallInfo, only_reads
from rightcall.tools.definitions.function import Late
from rightcall.tools.definitions.validate import check_schema, schema_problems
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.connection import ConnectionEndedError, never_connected
from rightcall.tools.mcp.sdk import plain_result, protocol_failure
from rightcall.tools.mcp.server_session import ServerSession
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool
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

RESTARTS = 3
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 2.0
"""Attempts to start a server again, and the pauses before them, which double."""


class McpServer(ServerSession):
    """A running server. `tools` are those it listed, `problems` what is wrong with their schemas.

    `name` and `version` are what it says of itself (`serverInfo`). A `listener` hears every message.

    It runs in a separate task, so it may be opened in one task and closed in another.
    """

    def __init__(self, address: McpAddress, listener: SessionRecorder | None = None) -> None:
        super().__init__(address, listener)
        self.tools: list[Tool] = []
        self.problems: list[str] = []
        self.name = self.version = ""
        self._deaths = self._in_flight = 0
        self._revival: asyncio.Task[None] | None = None

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
        if self.list_changed:
            await self._list()
        if all(tool.name != name for tool in self.tools):
            raise ToolError("unknown_tool", f"the server no longer offers {name}", "use another tool")
        reply = await self._reply_on_new_connection(name, arguments)
        if "error" in reply:
            self._refuse_access()
            raise self._translate_error(reply["error"], name)
        answer = reply.get("result")
        if not isinstance(answer, dict) or not isinstance(answer.get("content"), list):
            raise NoAnswer("the server sent something else than an answer")
        self._check_output(name, answer)
        self._deaths = 0
        return self._clean(plain_result(answer, name))

    def _check_output(self, name: str, answer: dict[str, Any]) -> None:
        """Refuse a result that is not what the tool's output schema promises."""
        tool = next(tool for tool in self.tools if tool.name == name)
        if tool.output_schema is None or answer.get("isError"):
            return
        problem = "has an output schema but returned no structured content"
        if (structured := answer.get("structuredContent")) is not None:
            found = schema_problems(tool.output_schema, structured, f"tool '{name}', output schema")
            if not found:
                return
            problem = f"returned structured content that its output schema refuses: {found[0].message}"
        effect: Effect | None = None if only_reads(tool.annotations) else "unknown"  # it was answered
        raise ToolError("result_malformed", f"{name} {problem}"[:200], effect=effect)

    async def _reply_on_new_connection(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The reply to a call. It is sent again, on a new connection, only if the server cannot have looked at it."""
        self._in_flight += 1
        alone = self._in_flight == 1
        life = self._life
        try:
            reply = await self._reply_unless_refused(name, arguments)
            if _message_of(reply) != SESSION_GONE or (self._access is not None and self._access.refusal):
                return reply
        except ConnectionEndedError:
            self._refuse_access()
            alone = alone and self._in_flight == 1  # otherwise another call may be the refused one
            if not (alone and self.address.url and await never_connected(life)):
                raise NoAnswer(
                    "its server has exited" if self.address.command else "its server is gone"
                ) from None
        finally:
            self._in_flight -= 1
        if life is self._life:
            await self._end(at_once=True)
        await self._revive()
        try:
            return await self._reply_unless_refused(name, arguments)
        except ConnectionEndedError:
            raise NoAnswer("its server is gone") from None

    async def _reply_unless_refused(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The reply to a call, unless access is refused: over SSE none would come."""
        reply = asyncio.ensure_future(self.reply_to_call(name, arguments, self.reply_to))
        refused = asyncio.ensure_future(self._access.refused() if self._access else asyncio.Event().wait())
        try:
            await asyncio.wait({reply, refused}, return_when="FIRST_COMPLETED")
            if refused.done() and not reply.done():
                self._refuse_access()
            return await reply
        finally:
            refused.cancel()
            reply.cancel()
            await asyncio.wait({reply, refused})

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

    async def _negotiate(self) -> None:
        await super()._negotiate()
        info = self.server.get("serverInfo")
        info = info if isinstance(info, dict) else {}
        self.name, self.version = (str(info.get(field, ""))[:200] for field in ("name", "version"))
        await self._list()

    async def _list(self) -> None:
        raw = await self.list_tools()
        self.tools = []
        self.problems = []
        for definition in raw:
            try:
                stated = {key: value for key, value in definition.items() if value is not None}
                tool = read_tool(stated, self.address.label)
                check_schema(tool)
                self.tools.append(tool)
            except InputError as error:
                self.problems.append(str(error))

    def _refuse_access(self) -> None:
        """Raise `ToolServerDown` if the server refuses our credentials: no other call would pass."""
        if self._access is not None and (problem := self._access.problem()):
            raise self._failure(problem, ToolServerDown)

    def _translate_error(self, error: Any, name: str) -> Exception:
        error = error if isinstance(error, dict) else {}
        code = error.get("code")
        text = self._clean(str(error.get("message", "")))[:300]
        if code == CONNECTION_CLOSED:
            return NoAnswer("its server has exited" if self.address.command else "its server is gone")
        if code == PARSE_ERROR or text.startswith(NO_ANSWERS):
            return NoAnswer("the server sent something else than an answer")
        return protocol_failure(code if isinstance(code, int) else 0, text, name)


def _message_of(reply: dict[str, Any]) -> Any:
    error = reply.get("error")
    return error.get("message") if isinstance(error, dict) else None


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
