"""Tools of an MCP server, over stdio or streamable HTTP, through the official SDK.

    async with McpServer(read_address("mcp:uvx mcp-server-time")) as server:
        toolbox = Toolbox(server.entries(), execute="real")

A server that cannot be started, dies, hangs or violates the protocol raises an `InfrastructureError`; one that dies
during a call makes that call fail. No process is left running.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import shlex
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Annotated, Any, Self

import msgspec

from rightcall.errors import InfrastructureError, InputError, MissingExtraError, suggestion
from rightcall.model.dialects.mcp import read_tool
from rightcall.model.tool import Tool
from rightcall.tools.definitions.behaviour import Behaviour, CallInfo
from rightcall.tools.definitions.validate import check_schema
from rightcall.tools.mcp.orphan_processes import MARK, end_leftovers
from rightcall.tools.mcp.results import result_of
from rightcall.tools.runtime.bound_tool import BoundTool, Late, RunnableTool
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import ToolError

CONNECTION_CLOSED = -32000
INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
STDERR_TOLD = 400


@dataclass(frozen=True)
class McpAddress:
    """The address of a server: a command to start, or a URL. `env` is added to its minimal environment."""

    command: Annotated[tuple[str, ...], msgspec.Meta(description="program to start, with its arguments")] = ()
    url: Annotated[str, msgspec.Meta(description="URL of a running server")] = ""
    env: Annotated[
        Mapping[str, str], msgspec.Meta(description="environment variables added to the few it inherits")
    ] = field(default_factory=dict, repr=False)
    cwd: Annotated[str | None, msgspec.Meta(description="working folder of the program")] = None
    start_s: Annotated[float, msgspec.Meta(description="time limit of the start, in seconds")] = 60.0
    call_s: Annotated[float, msgspec.Meta(description="time limit of a call, in seconds")] = 30.0

    @property
    def label(self) -> str:
        """The server's name in messages, without its environment or any part of its URL but the host."""
        if self.command:
            return f"MCP server '{' '.join(self.command)[:100]}'"
        return f"MCP server at {self.url.split('?')[0].split('@')[-1]}"


def read_address(source: str | Mapping[str, Any], where: str = "mcp") -> McpAddress:
    """An address from `mcp:COMMAND …`, `mcp:http://…`, or a suite's `{command: […], env: {…}}` or `{url: …}`."""
    if isinstance(source, str):
        text = source.removeprefix("mcp:").strip()
        if text.startswith(("http://", "https://")):
            return McpAddress(url=text)
        try:
            command = tuple(shlex.split(text))
        except ValueError as error:
            raise InputError(where, f"cannot be split into a command: {error}") from None
        if not command:
            raise InputError(where, "no command", 'write it as mcp:"npx -y some-server"')
        return McpAddress(command)
    from rightcall.model.codec import convert

    given, known = dict(source), [one.name for one in dataclasses.fields(McpAddress)]
    for unknown in (name for name in given if name not in known):
        hint = suggestion(unknown, known) or f"known fields: {', '.join(known)}"
        raise InputError(where, f"unknown field '{unknown}'", hint)
    if isinstance(given.get("command"), str):
        given["command"] = shlex.split(given["command"])
    address: McpAddress = convert(given, McpAddress, where)
    if bool(address.command) == bool(address.url):
        raise InputError(where, "requires either a command or a url")
    return address


class McpServer:
    """A running server. `tools` are those it listed, `problems` what is wrong with their schemas.

    It runs in a separate task, so it may be opened in one task and closed in another.
    """

    def __init__(self, address: McpAddress) -> None:
        self.address = address
        self.tools: list[Tool] = []
        self.problems: list[str] = []
        self._session: Any = None
        self._list_changed = False
        self._stop = asyncio.Event()
        self._last_words = ""
        self._mark = uuid.uuid4().hex
        self._life: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live(started))
        await asyncio.wait({started, self._life}, timeout=self.address.start_s, return_when="FIRST_COMPLETED")
        if started.done():
            started.result()
            return self
        ended = self._life.done()
        failure = await self._end(at_once=True)
        if ended:
            raise self._failed(f"exited before it was ready{_because(failure)}")
        raise self._failed(f"was not ready after {self.address.start_s:g} s")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._end()

    def entries(self, behaviours: Mapping[str, Behaviour] | None = None) -> list[BoundTool]:
        """The server's tools for a toolbox; `behaviours` says more of some than their annotations do."""
        usual = Behaviour(timeout_s=self.address.call_s)
        return [
            BoundTool(tool, (behaviours or {}).get(tool.name, usual), partial(self._ready, tool.name))
            for tool in self.tools
        ]

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool. Raises `ToolError` for an error from the server, `ConnectionError` when it is gone."""
        if self._list_changed:
            await self.refresh()
        if all(tool.name != name for tool in self.tools):
            raise ToolError("unknown_tool", f"the server no longer offers {name}", "use another tool")
        if self._life is None or self._life.done():
            raise ConnectionError(f"{self.address.label} has exited")
        sdk = _sdk()
        try:
            answer = await self._session.call_tool(name, arguments)
        except sdk.MCPError as error:
            raise self._translated(error, name) from None
        except (RuntimeError, ValueError) as error:  # the SDK's own check of the result
            raise ToolError("result_malformed", f"{name}: {str(error)[:200]}", effect="unknown") from None
        return result_of(answer, name)

    async def refresh(self) -> tuple[list[str], list[str]]:
        """List the tools again: the names that are new and those that are gone."""
        self._list_changed = False
        before = {tool.name for tool in self.tools}
        await self._list()
        now = {tool.name for tool in self.tools}
        return sorted(now - before), sorted(before - now)

    def _ready(self, name: str, context: CallContext) -> RunnableTool:
        async def run(arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late) -> Any:
            return await self.call(name, arguments)

        return RunnableTool(run, live=True)

    async def _live(self, started: asyncio.Future[None]) -> None:
        """Start the server, list its tools, and keep it running until it is stopped."""
        sdk = _sdk()
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
            try:
                async with (
                    self._transport(sdk, stderr) as (read, write),
                    sdk.ClientSession(read, write, message_handler=self._notified) as self._session,
                ):
                    await self._session.initialize()
                    await self._list()
                    if not started.done():
                        started.set_result(None)
                    await self._stop.wait()
            finally:
                stderr.seek(0)
                self._last_words = self._without_secrets(stderr.read()[-4000:])

    def _transport(self, sdk: Any, stderr: Any) -> Any:
        if self.address.url:
            return sdk.streamable_http_client(self.address.url)
        command, *args = self.address.command
        parameters = sdk.StdioServerParameters(
            command=command, args=args, env={**self.address.env, MARK: self._mark}, cwd=self.address.cwd
        )
        return sdk.stdio_client(parameters, errlog=stderr)

    async def _notified(self, message: Any) -> None:
        """Note that the server's tools have changed."""
        method = getattr(getattr(message, "root", message), "method", "")
        if method == "notifications/tools/list_changed":
            self._list_changed = True

    async def _list(self) -> None:
        sdk, cursor, raw = _sdk(), None, []
        for _ in range(1000):  # pages; a server could send them forever
            page = await self._session.list_tools(params=sdk.PaginatedRequestParams(cursor=cursor))
            raw += [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in page.tools]
            cursor = page.next_cursor
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

    async def _end(self, *, at_once: bool = False) -> BaseException | None:
        """Stop the server and wait until it is gone; the exception that ended it, if one did."""
        if self._life is None:
            return None
        self._stop.set()
        if at_once:
            self._life.cancel()
        done, _ = await asyncio.wait({self._life}, timeout=15)
        if not done:
            self._life.cancel()
            await asyncio.wait({self._life}, timeout=15)
        if self.address.command:
            end_leftovers(self._mark)
        with contextlib.suppress(asyncio.CancelledError, asyncio.InvalidStateError):
            return self._life.exception()
        return None

    def _translated(self, error: Any, name: str) -> Exception:
        code, text = getattr(error.error, "code", 0), str(getattr(error.error, "message", error))[:300]
        if code == CONNECTION_CLOSED:
            return ConnectionError(f"{self.address.label} has exited")
        if code in (INVALID_PARAMS, METHOD_NOT_FOUND):
            return ToolError("invalid_args", f"{name}: {text}", retry="fix_args")
        return ToolError("upstream_error", f"{name}: {text}")

    def _failed(self, problem: str) -> InfrastructureError:
        said = f"; stderr: {self._last_words}" if self._last_words else ""
        return InfrastructureError(f"{self.address.label} {problem}{said}")

    def _without_secrets(self, text: str) -> str:
        """The end of what the server wrote to stderr, without the values of its environment."""
        for secret in filter(None, self.address.env.values()):
            text = text.replace(secret, "***")
        return " ".join(text.split())[-STDERR_TOLD:]


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


def _because(failure: BaseException | None) -> str:
    """The innermost reason of a failure, in a few words."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    if failure is None:
        return ""
    if isinstance(failure, FileNotFoundError):
        return f": program '{failure.filename}' not found; is it installed and on the PATH?"
    text = str(failure).splitlines()[0][:200] if str(failure) else type(failure).__name__
    return f": {text}"


def _sdk() -> Any:
    """The parts of the SDK that are used here."""
    try:
        import mcp  # type: ignore[import-not-found,unused-ignore]
        from mcp.client.stdio import stdio_client  # type: ignore[import-not-found,unused-ignore]
        from mcp.client.streamable_http import (  # type: ignore[import-not-found,unused-ignore]
            streamable_http_client,
        )
        from mcp.types import PaginatedRequestParams  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("tools of an MCP server", "mcp", "mcp") from None
    logging.getLogger("mcp").addHandler(logging.NullHandler())  # otherwise its warnings go to stderr
    parts: Any = type("Sdk", (), {})
    parts.ClientSession, parts.MCPError = mcp.ClientSession, mcp.MCPError
    parts.StdioServerParameters, parts.stdio_client = mcp.StdioServerParameters, stdio_client
    parts.streamable_http_client = streamable_http_client
    parts.PaginatedRequestParams = PaginatedRequestParams
    return parts
