"""The session that becomes a contract: recorded by calling a server, or from the tool calls of a recorded suite."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rightcall.core.codec import decode
from rightcall.core.errors import InputError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.files.checked_read import require_file
from rightcall.recording.canonical import plain_url
from rightcall.recording.mcp.session import McpSession, call_key, tool_name
from rightcall.recording.mcp.session_file import FORMAT, SessionJournal, read_session
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.tools.mcp.access import secrets_of
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.server_session import ServerSession


class CallToRecord(NamedTuple):
    """A call to make."""

    name: str
    arguments: dict[str, Any]


def read_calls(path: Path) -> list[CallToRecord]:
    """The calls of a file: one `{"name": …, "arguments": {…}}` per line, or a recording."""
    path = require_file(path)
    lines = [(number, line) for number, line in enumerate(path.read_bytes().splitlines(), 1) if line.strip()]
    if lines and FORMAT.encode() in lines[0][1]:
        return [CallToRecord(call.name, call.arguments) for call in read_session(path).calls]
    calls = []
    for number, line in lines:
        where = f"{path}:{number}"
        call = decode(line, dict[str, Any], where)
        name = call.get("name")
        arguments = call.get("arguments", {})
        if (
            not isinstance(name, str)
            or not isinstance(arguments, dict)
            or call.keys() - {"name", "arguments"}
        ):
            raise InputError(where, 'a call is {"name": …, "arguments": {…}}')
        calls.append(CallToRecord(name, arguments))
    if not calls:
        raise InputError(str(path), "has no calls", 'write one {"name": …, "arguments": {…}} per line')
    return calls


def expected_calls(path: Path) -> tuple[list[CallToRecord], int]:
    """The calls that goldens expect, each once, and how many state no arguments that could be sent."""
    from rightcall.datasets.goldens import load_goldens
    from rightcall.records.golden import Golden
    from rightcall.run.rehearsal.values import LEFT_OUT, NoValue, value_accepted_by

    def result_of(call: str, path: str) -> Any:
        raise NoValue("it depends on a result")

    calls: list[CallToRecord] = []
    unstated = 0
    for golden in load_goldens(path):
        for expected in golden.expected_calls if isinstance(golden, Golden) else ():
            if isinstance(expected.tool, dict):
                unstated += 1
                continue
            try:
                stated = (expected.args or {}).items()
                values = {name: value_accepted_by(spec, result_of) for name, spec in stated}
            except NoValue:
                unstated += 1
                continue
            arguments = {name: value for name, value in values.items() if value is not LEFT_OUT}
            name = expected.tool if isinstance(expected.tool, str) else expected.tool[0]
            call = CallToRecord(name, arguments)
            if call not in calls:
                calls.append(call)
    return calls, unstated


ALL = "*"
"""Stands for every tool where tools that may write are allowed by name."""


def recorder_of(address: McpAddress, keep: Callable[[McpSession], object] | None = None) -> SessionRecorder:
    """A recorder that removes what gives access to the server, wherever it stands."""
    where = shlex.join(address.command) if address.command else plain_url(address.url)
    return SessionRecorder(scrubber(*secrets_of(address)), where, keep)


async def record_session(
    address: McpAddress,
    calls: Iterable[CallToRecord] = (),
    *,
    writes: Iterable[str] = (ALL,),
    journal: SessionJournal | None = None,
    advance: Callable[[], object] = lambda: None,
) -> tuple[McpSession, list[CallToRecord]]:
    """The session, and the calls that were not made because their tool may write and is not one of `writes`.

    Calls that a `journal` has already are not made again.
    """
    earlier = journal.read() if journal is not None else None

    def keep(session: McpSession) -> None:
        if journal is not None:
            journal.add(session if earlier is None else earlier.with_calls(session.calls))

    recorder = recorder_of(address, keep)
    skipped = list[CallToRecord]()
    if earlier is not None and earlier.address != recorder.address:
        raise InputError(
            str(journal and journal.path), f"is of another server: {earlier.address}", "remove it"
        )
    answered = Counter(call.key for call in earlier.calls) if earlier is not None else Counter[bytes]()
    allowed = set(writes)
    async with ServerSession(address, recorder) as server:
        tools = {tool_name(tool): tool for tool in await server.list_tools()}
        capabilities = server.server.get("capabilities")
        capabilities = capabilities if isinstance(capabilities, dict) else {}
        for name in ("resources", "prompts"):
            if name in capabilities:
                await server.listing(f"{name}/list", name)
        for call in calls:
            if ALL not in allowed and call.name not in allowed and not only_reads(tools.get(call.name)):
                skipped.append(call)
                continue
            key = call_key(call.name, recorder.scrub(call.arguments))
            if answered[key]:
                answered[key] -= 1
                continue
            await server.call(call.name, call.arguments)
            advance()
            if server.list_changed:
                tools = {tool_name(tool): tool for tool in await server.list_tools()}
    session = recorder.session()
    return session if earlier is None else earlier.with_calls(session.calls), skipped


def only_reads(*definitions: dict[str, object] | None) -> bool:
    """Whether a tool says that it only reads, in one of its versions, and says the contrary in none."""
    hints = []
    for definition in definitions:
        annotations = (definition or {}).get("annotations")
        hints.append(annotations.get("readOnlyHint") if isinstance(annotations, dict) else None)
    return True in hints and False not in hints
