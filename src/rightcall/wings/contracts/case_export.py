"""The recorded tool calls of a suite as a session of their MCP server: what goldens recorded becomes a contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.recording.case import TOOL
from rightcall.recording.cassette import read_cassette
from rightcall.recording.library import TOOL_LIST
from rightcall.recording.mcp.session import McpSession, RecordedCall, tool_name
from rightcall.tools.mcp.address import read_address
from rightcall.wings.contracts.capture import record_session


async def export_calls(folder: Path, server: str) -> McpSession:
    """The definitions of a server, with the answers that the recordings in a folder have for its tools."""
    session, _ = await record_session(read_address(server, server))
    names = {tool_name(tool) for tool in session.tools}
    turns: dict[bytes, int] = {}
    calls = []
    for call in recorded_calls(folder):
        if call.name in names:
            turn = turns.get(call.key, 0)
            turns[call.key] = turn + 1
            calls.append(replace(call, n=turn))
    if not calls:
        hint = "run the suite with agent.execute: real and --record auto"
        raise InputError(str(folder), "no calls of this server's tools are recorded", hint)
    return replace(session, calls=tuple(calls)).without_repeats()


def recorded_calls(folder: Path) -> Iterator[RecordedCall]:
    """The calls of all recorded trials, by golden and trial, without those that a fault was injected into."""
    for path in sorted(folder.glob("*.json")):
        if path.name == TOOL_LIST:
            continue
        trials = read_cassette(path).trials
        for trial in sorted(trials, key=lambda name: (len(name), name)):
            for exchange in trials[trial].exchanges:
                finished = exchange.reply.get("finished")
                if TOOL in exchange.ask and isinstance(finished, dict) and not exchange.reply.get("faults"):
                    arguments = exchange.ask.get("arguments") or {}
                    yield RecordedCall(exchange.ask[TOOL], arguments, _result(finished))


def _result(finished: dict[str, Any]) -> dict[str, Any]:
    """How a call ended, as a server would have said it: an object is structured content too."""
    error, output = finished.get("error"), finished.get("output")
    if isinstance(error, dict):
        return {"content": [{"type": "text", "text": str(error.get("detail", ""))}], "isError": True}
    text = output if isinstance(output, str) else encode(output).decode()
    structured = {"structuredContent": output} if isinstance(output, dict) else {}
    return {"content": [{"type": "text", "text": text}], "isError": False, **structured}
