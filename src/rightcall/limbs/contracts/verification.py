"""A recording against another version of its server: compatible or breaking, a tool at a time.

Only calls of tools that say that they only read are made, and of those that were allowed by name. The others are
counted as not verified, and their tools are never called compatible.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Literal

from rightcall.core.errors import InputError, suggestion
from rightcall.limbs.contracts.capture import ALL, only_reads, recorder_of
from rightcall.limbs.contracts.result_shape import IgnoredPaths
from rightcall.limbs.contracts.tool_comparison import (
    ContractChange,
    answer_changes,
    definition_changes,
    schema_key,
)
from rightcall.recording.mcp.session import Definition, McpSession, RecordedCall, tool_name
from rightcall.schema.compatibility import ChangeLevel
from rightcall.tools.mcp.address import McpAddress
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
