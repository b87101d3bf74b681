"""The session that planned calls make, and a recording against another version of its server, a tool at a time.

Only calls of tools that say that they only read are made, and of those that were allowed by name. The others are
counted as not verified, and their tools are never called compatible.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rightcall.core.codec import decode
from rightcall.core.errors import InputError, suggestion
from rightcall.core.redaction.clean_text import scrubber
from rightcall.files.checked_read import require_file
from rightcall.limbs.contracts.tool_comparison import (
    ContractChange,
    IgnoredPaths,
    answer_changes,
    definition_changes,
    schema_key,
)
from rightcall.recording.canonical import plain_url
from rightcall.recording.mcp.session import Definition, McpSession, RecordedCall, call_key, tool_name
from rightcall.recording.mcp.session_file import FORMAT, SessionJournal, read_session
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.schema.compatibility import ChangeLevel
from rightcall.tools.mcp.address import McpAddress, secrets_of
from rightcall.tools.mcp.server_session import ServerSession

ContractVerdict = Literal["breaking", "for the model", "not verified", "compatible"]
Reply = dict[str, Any]


@dataclass(frozen=True)
class VerifyRules:
    """What is compared, and how strictly."""

    only: Collection[str] = ()
    ignored: IgnoredPaths = field(default_factory=lambda: IgnoredPaths(()))
    writes: Collection[str] = ()
    values: bool = False


@dataclass(frozen=True)
class OtherVersion:
    """The other side: its tools, and its replies to recorded calls by their number. Others were not made.

    `later` are the tools that it listed after the calls.
    """

    label: str
    tools: tuple[Definition, ...]
    replies: dict[int, Reply]
    later: tuple[Definition, ...]


@dataclass(frozen=True)
class ToolVerdict:
    """One tool: `calls` recorded ones, of which `verified` were compared."""

    name: str
    changes: tuple[ContractChange, ...]
    calls: int = 0
    verified: int = 0

    @property
    def verdict(self) -> ContractVerdict:
        levels = {change.level for change in self.changes}
        if "breaking" in levels:
            return "breaking"
        if "model" in levels:
            return "for the model"
        return "not verified" if self.verified < self.calls else "compatible"


@dataclass(frozen=True)
class ContractResult:
    """The verdicts of all tools. `listing` is what changed in the list itself."""

    recorded: str
    other: str
    tools: tuple[ToolVerdict, ...]
    listing: tuple[ContractChange, ...] = ()

    @property
    def verdict(self) -> ContractVerdict:
        verdicts = {tool.verdict for tool in self.tools}
        if any(change.level == "model" for change in self.listing):
            verdicts.add("for the model")
        order: tuple[ContractVerdict, ...] = ("breaking", "for the model", "not verified")
        return next((verdict for verdict in order if verdict in verdicts), "compatible")

    def count(self, verdict: ContractVerdict) -> int:
        return sum(tool.verdict == verdict for tool in self.tools)

    @property
    def calls(self) -> int:
        return sum(tool.calls for tool in self.tools)

    @property
    def verified(self) -> int:
        return sum(tool.verified for tool in self.tools)


async def other_version(
    address: McpAddress,
    session: McpSession,
    rules: VerifyRules,
    advance: Callable[[], object] = lambda: None,
) -> OtherVersion:
    """A running server: its tools, and its replies to the recorded calls that may be made."""
    recorded = {tool_name(tool): tool for tool in session.tools}
    scrub = recorder_of(address).scrub
    async with ServerSession(address) as server:
        tools = scrub(await server.list_tools())
        listed = {tool_name(tool): tool for tool in tools}
        replies: dict[int, Reply] = {}
        for number, call in enumerate(session.calls):
            if _may_call(call.name, recorded.get(call.name), listed.get(call.name), rules):
                replies[number] = scrub(await server.call(call.name, call.arguments))
            advance()
        later = scrub(await server.list_tools()) if replies else tools
        label = McpSession(server=scrub(server.server)).label
    return OtherVersion(label, tuple(tools), replies, tuple(later))


def recorded_version(other: McpSession, session: McpSession) -> OtherVersion:
    """Another recording, with its answers to the calls that both have."""
    answers = {(call.key, call.n): call for call in other.calls}
    replies = {}
    for number, call in enumerate(session.calls):
        if (answer := answers.get((call.key, call.n))) is not None:
            replies[number] = {"error": answer.error} if answer.result is None else {"result": answer.result}
    return OtherVersion(other.label, other.tools, replies, _last_tools(other))


def compare_versions(session: McpSession, other: OtherVersion, rules: VerifyRules) -> ContractResult:
    """Every tool of the recording, and those that the other version adds."""
    old = {tool_name(tool): tool for tool in session.tools}
    new = {tool_name(tool): tool for tool in other.tools}
    renamed = _renamings(old, new)
    moves = _moves_during_calls(session, other)
    calls: dict[str, list[tuple[int, RecordedCall]]] = {name: [] for name in old}
    for number, call in enumerate(session.calls):
        calls.setdefault(call.name, []).append((number, call))

    def verdict(name: str) -> ToolVerdict:
        changes = list[ContractChange]()
        verified = 0
        own_calls = calls.get(name, [])
        if name in old and name not in new:
            text = f"tool renamed: {renamed[name]} has the same schemas" if name in renamed else "tool gone"
            changes.append(ContractChange("list", text, "breaking"))
        else:
            if name in old:
                changes += definition_changes(old[name], new[name], [call for _, call in own_calls])
            elif name in new and (own_calls or name not in renamed.values()):
                changes.append(ContractChange("list", "tool added", "compatible"))
            schemas = (old.get(name, {}).get("outputSchema"), new.get(name, {}).get("outputSchema"))
            replies = [(call, other.replies[n]) for n, call in own_calls if n in other.replies]
            verified = len(replies)
            for call, reply in replies:
                changes += answer_changes(call, reply, schemas, rules.ignored, values=rules.values)
        moved = [moves[name]] if name in moves else []
        return ToolVerdict(name, tuple(dict.fromkeys((*changes, *moved))), len(own_calls), verified)

    added = (name for name in new if name not in renamed.values())
    names = [name for name in dict.fromkeys((*calls, *added, *moves)) if not rules.only or name in rules.only]
    listing = () if rules.only else _order_change(old, new)
    return ContractResult(session.label, other.label, tuple(map(verdict, names)), listing)


def _last_tools(session: McpSession) -> tuple[Definition, ...]:
    return session.changes[-1].tools if session.changes else session.tools


def _moves_during_calls(session: McpSession, other: OtherVersion) -> dict[str, ContractChange]:
    """What the other version changed in its list while it was called, and the recorded one did not: a server may offer
    a harmless tool until it has been looked at.
    """
    recorded = _moves(session.tools, _last_tools(session))
    return {
        name: ContractChange("list", f"tool {move} during the session", level)
        for name, (move, level) in _moves(other.tools, other.later).items()
        if recorded.get(name) != (move, level)
    }


def _moves(
    before: tuple[Definition, ...], after: tuple[Definition, ...]
) -> dict[str, tuple[str, ChangeLevel]]:
    """How a list of tools changed, by name."""
    first, last = ({tool_name(tool): tool for tool in tools} for tools in (before, after))
    moves: dict[str, tuple[str, ChangeLevel]] = {
        name: ("gone", "breaking") for name in first if name not in last
    }
    moves |= {name: ("added", "model") for name in last if name not in first}
    return moves | {
        name: ("changed", "model") for name in first if last.get(name, first[name]) != first[name]
    }


def _may_call(name: str, old: Definition | None, new: Definition | None, rules: VerifyRules) -> bool:
    """Whether a call may be made again. A tool that neither version has cannot do anything."""
    if rules.only and name not in rules.only:
        return False
    if old is None and new is None:
        return True
    if new is None:
        return False
    return name in rules.writes or ALL in rules.writes or only_reads(old, new)


def _renamings(old: dict[str, Definition], new: dict[str, Definition]) -> dict[str, str]:
    """Old names with the new ones of tools that have the same schemas; only where there is no doubt."""
    gone = _names_by_schema(old, new)
    added = _names_by_schema(new, old)
    return {
        names[0]: added[key][0]
        for key, names in gone.items()
        if len(names) == 1 and len(added.get(key, ())) == 1
    }


def _names_by_schema(
    tools: dict[str, Definition], others: dict[str, Definition]
) -> dict[tuple[bytes, ...], list[str]]:
    """The names that only one version has, by their schemas."""
    names: dict[tuple[bytes, ...], list[str]] = {}
    for name in tools.keys() - others.keys():
        names.setdefault(schema_key(tools[name]), []).append(name)
    return names


def _order_change(old: dict[str, Definition], new: dict[str, Definition]) -> tuple[ContractChange, ...]:
    before = [name for name in old if name in new]
    after = [name for name in new if name in old]
    return () if before == after else (ContractChange("list", "tools are listed in another order", "model"),)


def refuse_unknown(rules: VerifyRules, session: McpSession) -> None:
    """Raise `InputError` for a chosen tool that is not in the recording, and for a recording of nothing."""
    names = sorted({*map(tool_name, session.tools), *(call.name for call in session.calls)})
    if not names:
        raise InputError("the recording", "has no tools and no calls, so nothing can be verified")
    for option, chosen in (("--only", rules.only), ("--allow-writes", rules.writes)):
        for name in chosen:
            if name not in names and name != ALL:
                hint = suggestion(name, names) or f"the tools are: {', '.join(names) or 'none'}"
                raise InputError(option, f"no such tool '{name}'", hint)


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
