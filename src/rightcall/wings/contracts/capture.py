"""A session recorded by calling a server."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable

from rightcall.core.redaction.clean_text import scrubber
from rightcall.recording.canonical import plain_url
from rightcall.recording.mcp.session import McpSession, tool_name
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.tools.mcp.access import secrets_of
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.raw_session import RawSession
from rightcall.wings.contracts.call_list import CallToRecord

ALL = "*"
"""Stands for every tool where tools that may write are allowed by name."""


def recorder_of(address: McpAddress) -> SessionRecorder:
    """A recorder that removes what gives access to the server, wherever it stands."""
    where = shlex.join(address.command) if address.command else plain_url(address.url)
    return SessionRecorder(scrubber(*secrets_of(address)), where)


async def record_session(
    address: McpAddress,
    calls: Iterable[CallToRecord] = (),
    *,
    writes: Iterable[str] = (ALL,),
    advance: Callable[[], object] = lambda: None,
) -> tuple[McpSession, list[CallToRecord]]:
    """The session, and the calls that were not made because their tool may write and is not one of `writes`."""
    recorder, skipped = recorder_of(address), []
    allowed = set(writes)
    async with RawSession(address, recorder) as server:
        tools = {tool_name(tool): tool for tool in await server.tools()}
        capabilities = server.server.get("capabilities")
        capabilities = capabilities if isinstance(capabilities, dict) else {}
        for name in ("resources", "prompts"):
            if name in capabilities:
                await server.listing(f"{name}/list", name)
        for call in calls:
            if ALL not in allowed and call.name not in allowed and not only_reads(tools.get(call.name)):
                skipped.append(call)
                continue
            await server.call(call.name, call.arguments)
            advance()
            if server.list_changed:
                tools = {tool_name(tool): tool for tool in await server.tools()}
    return recorder.session(), skipped


def only_reads(*definitions: dict[str, object] | None) -> bool:
    """Whether a tool says that it only reads, in one of its versions, and says the contrary in none."""
    hints = []
    for definition in definitions:
        annotations = (definition or {}).get("annotations")
        hints.append(annotations.get("readOnlyHint") if isinstance(annotations, dict) else None)
    return True in hints and False not in hints
