"""Tools of an MCP server that are answered from a recorded session: `tools: {mcp: {…, recording: FILE}}` of a suite.

`replay` never starts the server. `auto` asks it for calls that are not recorded, and adds them to the file at the end,
or when it is next used after a process that was killed; `refresh` asks it for everything, and replaces the file. Every
trial begins at the first answers.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any, Self

from rightcall.core.errors import ConfigError, InputError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.recording.mcp.session import McpSession, RecordedCall, SessionPlayer, call_key, miss_sentence
from rightcall.recording.mcp.session_file import SessionJournal, read_session, write_session
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.recording.miss import NOT_RECORDED
from rightcall.records.dialects.mcp import read_tool
from rightcall.records.tool import Tool
from rightcall.tools.definitions.behaviour import Behaviour, CallInfo
from rightcall.tools.definitions.function import Late
from rightcall.tools.mcp.address import McpAddress, secrets_of
from rightcall.tools.mcp.client import McpServer
from rightcall.tools.mcp.sdk import plain_result, protocol_failure
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import Abort


class RecordedServer:
    """A recording with the server behind it, which is started when the recording has no answer."""

    def __init__(self, address: McpAddress) -> None:
        self.address = address
        self._clean = scrubber(*secrets_of(address))
        self._journal = SessionJournal(Path(address.recording))
        self._recorder = SessionRecorder(self._clean, address.label, self._journal.add)
        if address.record == "auto":
            self._keep_unfinished()
        self._session = recorded_session(address)
        self._player = SessionPlayer(self._session, self._clean) if self._session is not None else None
        self._server: McpServer | None = None
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        if self._player is None:
            await self._live_server()
        return self

    async def __aexit__(self, *details: object) -> None:
        if self._server is not None:
            await self._server.__aexit__(*details)
            self._write(self._session, self._recorder.session())

    def entries(self) -> list[BoundTool]:
        """The tools for a toolbox, as recorded or, without a recording, as listed."""
        if self._session is not None:
            tools = session_tools(self._session, self.address)
        else:
            assert self._server is not None
            tools = self._server.tools
        usual = Behaviour(timeout_s=self.address.call_s)
        return [BoundTool(tool, usual, partial(self._ready, tool.name)) for tool in tools]

    def _ready(self, name: str, context: CallContext) -> RunnableTool:
        async def run(arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late) -> Any:
            if self._player is not None:
                turn = context.count(("recorded call", call_key(name, arguments)))
                recorded = self._player.answer(name, arguments, turn)
                if recorded is not None:
                    return _result(recorded)
                if self.address.replays:
                    raise self._miss(name, arguments, context)
            return await (await self._live_server()).call(name, arguments)

        return RunnableTool(run, live=not self.address.replays)

    def _miss(self, name: str, arguments: dict[str, Any], context: CallContext) -> Abort:
        """A call that a replay does not have ends the trial."""
        assert self._player is not None
        miss = miss_sentence(self._player.miss(name, arguments))
        return context.end_trial(f"{NOT_RECORDED}: {miss}; record it with record: auto", ends_run=False)

    async def _live_server(self) -> McpServer:
        async with self._starting:
            if self._server is None:
                server = McpServer(self.address, self._recorder)
                await server.__aenter__()
                self._server = server
            return self._server

    def _keep_unfinished(self) -> None:
        """What a process that was killed had recorded, added to the file."""
        path = Path(self.address.recording)
        if (unfinished := self._journal.read()) is not None:
            self._write(read_session(path) if path.exists() else None, unfinished)

    def _write(self, old: McpSession | None, fresh: McpSession) -> None:
        """The recording with the new calls after the old ones; a replay gives the last answer again."""
        session = fresh if old is None else old.with_calls(fresh.calls)
        if session.server:
            write_session(Path(self.address.recording), session.without_repeats())
        self._journal.remove()


def recorded_session(address: McpAddress) -> McpSession | None:
    """The session that answers; None when everything is asked again, or nothing was recorded yet."""
    path = Path(address.recording)
    if address.record == "refresh" or (address.record == "auto" and not path.exists()):
        return None
    if not path.exists():
        raise InputError(str(path), "no such recording", "record it: rightcall mcp record SERVER -o FILE")
    return read_session(path)


def session_tools(session: McpSession, address: McpAddress) -> list[Tool]:
    tools = []
    for definition in session.tools:
        try:
            tools.append(read_tool(definition, address.recording))
        except InputError as error:
            raise ConfigError(str(error)) from None
    return tools


def _result(recorded: RecordedCall) -> Any:
    if recorded.result is None:
        error = recorded.error or {}
        raise protocol_failure(int(error.get("code", 0)), str(error.get("message", ""))[:300], recorded.name)
    return plain_result(recorded.result, recorded.name)
