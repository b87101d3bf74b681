"""`rightcall mcp record`, `serve` and `verify`: one file as recording, mock server and contract."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from rightcall.cli.command_options import OUTPUT, DeclaredCommand, file_argument
from rightcall.cli.interrupt import INTERRUPTS, run_interruptible
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.errors import InfrastructureError
from rightcall.core.options import JsonOption, Option
from rightcall.core.own_output import OWN
from rightcall.core.text import one_line, pluralize
from rightcall.limbs.contracts.tool_comparison import ContractChange
from rightcall.limbs.contracts.verification import ContractResult, ContractVerdict, ToolVerdict
from rightcall.show.junit import JUnitCase, junit_document
from rightcall.show.lines import write_report

if TYPE_CHECKING:
    from rightcall.limbs.contracts.replay_server import ReplayServer
    from rightcall.limbs.contracts.verification import OtherVersion, VerifyRules
    from rightcall.recording.mcp.session import McpSession
    from rightcall.tools.mcp.address import McpAddress

server_argument = click.argument("server", metavar="SERVER")
WritesOption = Annotated[
    tuple[str, ...],
    Option(
        "Also call this tool although it is not marked read-only; without a name, every tool (repeatable)",
        flags=("--allow-writes",),
        metavar="[TOOL]",
        alone="*",
    ),
]


@click.command(cls=DeclaredCommand)
@server_argument
def record(
    server: str,
    output: Annotated[Path, Option("Recording to write", flags=OUTPUT, writes="document")],
    writes: WritesOption = (),
    calls: Annotated[
        Path | None, Option('Calls to make: lines {"name": …, "arguments": {…}}, or a recording')
    ] = None,
    goldens: Annotated[
        Path | None, Option("Goldens whose expected calls are made, if their tools only read")
    ] = None,
) -> None:
    """Record a session of SERVER, `mcp:COMMAND` or a URL: what it lists, and its answers to calls.

    Without --calls or --goldens only the definitions are recorded. Secrets are removed before anything is
    written. All calls in --calls are made; those in --goldens only for read-only tools. After a failure the same
    command makes the calls that have no answer yet.
    """
    from rightcall.limbs.contracts.verification import ALL, expected_calls, read_calls, record_session
    from rightcall.recording.mcp.session_file import SessionJournal, write_session
    from rightcall.show.progress import CountProgress

    if calls and goldens:
        raise click.UsageError("--calls and --goldens cannot be combined")
    address = read_server(server)
    unstated = 0
    planned = read_calls(calls) if calls else []
    if goldens:
        planned, unstated = expected_calls(goldens)
    allowed = writes if goldens else (ALL,)
    journal = SessionJournal(output)
    with CountProgress("recording", "call") as progress:
        work = record_session(address, planned, writes=allowed, journal=journal, advance=progress.advance)
        session, skipped = run_interruptible(work)
    write_session(output, session)
    journal.remove()
    tell(_recorded_line(session, output))
    if unstated:
        tell(f"{unstated} expected calls state no arguments that could be sent", err=True)
    if skipped:
        names = ", ".join(sorted({call.name for call in skipped}))
        tell(
            f"{len(skipped)} calls were not made, because their tools may write: {names}; see --allow-writes",
            err=True,
        )
    print_next(f"rightcall mcp serve {shlex.quote(str(output))}")


def serve(file: Path, address: tuple[str, int] | None, *, strict: bool, in_order: bool) -> None:
    """Serve a recording; the exit code is 1 when calls were not as they should have been."""
    from rightcall.limbs.contracts.replay_server import ReplayServer, serve_http, serve_stdio
    from rightcall.recording.mcp.session_file import read_session

    server = ReplayServer(read_session(file))
    judged = strict or in_order
    try:
        if address:
            run_interruptible(serve_http(server, *address, _tell_address))
        else:
            serve_stdio(server, sys.stdin.buffer, OWN.stdout.buffer)
    except KeyboardInterrupt:  # how a server over HTTP ends
        if not judged:
            raise
        INTERRUPTS.count = 0
    except BrokenPipeError:
        if not judged:
            raise
    if judged:
        _judge_use(server, strict=strict, in_order=in_order)


@click.command(cls=DeclaredCommand)
@file_argument
@click.argument("server", metavar="[SERVER]", default="")
def verify(
    file: Path,
    server: str,
    writes: WritesOption = (),
    other: Annotated[
        Path | None, Option("Compare with this recording instead of a server", flags=("--from",))
    ] = None,
    only: Annotated[tuple[str, ...], Option("Compare only this tool (repeatable)", metavar="TOOL")] = (),
    ignore: Annotated[
        tuple[str, ...], Option("Part of results that may have any shape (repeatable)", metavar="JSONPATH")
    ] = (),
    values: Annotated[bool, Option("Treat other values of the same shape as breaking")] = False,
    as_json: JsonOption = False,
    output: Annotated[Path | None, Option("JUnit file to write", flags=OUTPUT, writes="report")] = None,
) -> None:
    """Verify SERVER, `mcp:COMMAND` or a URL, against the recording FILE: compatible or breaking, tool by tool.

    Only calls to tools marked read-only are repeated; others count as not verified. Exit codes: 0 nothing
    breaks, 1 a tool is breaking, 3 no recorded call was compared, 4 the server gave no answer, which says nothing about
    compatibility.
    """
    from rightcall.limbs.contracts.tool_comparison import IgnoredPaths
    from rightcall.limbs.contracts.verification import (
        VerifyRules,
        compare_versions,
        recorded_version,
        refuse_unknown,
    )
    from rightcall.recording.mcp.session_file import read_session

    if bool(server) == bool(other):
        raise click.UsageError("name either SERVER or --from FILE")
    session = read_session(file)
    rules = VerifyRules(frozenset(only), IgnoredPaths(ignore), frozenset(writes), values)
    refuse_unknown(rules, session)
    version = recorded_version(read_session(other), session) if other else _ask(server, session, rules)
    result = compare_versions(session, version, rules)
    if output is not None:
        write_report(output, result_junit(result, str(file)))
    if as_json:
        print_json(result_json(result))
    else:
        _show(result)
    if result.verdict == "breaking":
        click.get_current_context().exit(1)
    if not result.verified:
        tell(f"inconclusive: {_nothing_verified(result)}", err=True)
        click.get_current_context().exit(3)


def _nothing_verified(result: ContractResult) -> str:
    """Why no recorded call was compared, and what would help."""
    if not result.calls:
        return "the recording has no calls, so no answer was compared; record some with --calls or --goldens"
    names = ", ".join(tool.name for tool in result.tools if tool.calls)
    return f"none of {pluralize(result.calls, 'recorded call')} was compared ({names}); allow them with --allow-writes"


def read_server(server: str) -> McpAddress:
    """The address of `mcp:COMMAND`, `mcp:URL` or a URL."""
    from rightcall.tools.mcp.address import read_address

    if not server.startswith(("mcp:", "http://", "https://")):
        raise click.UsageError(
            f"'{server}' is neither mcp:COMMAND nor a URL; try {shlex.quote('mcp:' + server)}"
        )
    return read_address(server, server)


def _ask(server: str, session: McpSession, rules: VerifyRules) -> OtherVersion:
    from rightcall.limbs.contracts.verification import other_version
    from rightcall.show.progress import CountProgress

    address = read_server(server)
    with CountProgress("verifying", "call") as progress:
        try:
            return run_interruptible(other_version(address, session, rules, progress.advance))
        except InfrastructureError as error:
            raise InfrastructureError(f"{error}; this says nothing about compatibility") from None


def _show(result: ContractResult) -> None:
    from rightcall.show.terminal import clean

    out = console()
    for line, style in terminal_lines(result):
        out.print(clean(line), style=style, soft_wrap=True)


def _judge_use(server: ReplayServer, *, strict: bool, in_order: bool) -> None:
    problems = server.log.problems(server.session, strict=strict, in_order=in_order)
    for problem in problems:
        tell(problem, err=True)
    if problems:
        click.get_current_context().exit(1)


def _tell_address(host: str, port: int) -> None:
    shown = f"[{host}]" if ":" in host else host
    tell(f"serving on http://{shown}:{port}/mcp; press Ctrl-C to stop", err=True)


def _recorded_line(session: McpSession, output: Path) -> str:
    facts = f"{pluralize(len(session.tools), 'tool')}, {pluralize(len(session.calls), 'call')}"
    return f"{session.label}: {facts} written to {output}"


LEVELS = {"breaking": "breaking", "model": "for the model", "compatible": "compatible"}
STYLES: dict[str, str] = {
    "breaking": "red",
    "for the model": "yellow",
    "not verified": "yellow",
    "compatible": "green",
}
_ORDER: tuple[ContractVerdict, ...] = ("breaking", "for the model", "not verified", "compatible")


def terminal_lines(result: ContractResult) -> Iterator[tuple[str, str]]:
    """The lines of a terminal, each with its style."""
    yield f"{one_line(result.recorded, 100)} → {one_line(result.other, 100)}", "bold"
    width = max((len(tool.name) for tool in result.tools), default=0)
    for change in result.listing:
        yield f"  {change_line(change)}", STYLES[LEVELS[change.level]]
    for tool in sorted(result.tools, key=lambda tool: _ORDER.index(tool.verdict)):
        yield f"{one_line(tool.name, 100):<{width}}  {tool.verdict}{_calls_note(tool)}", STYLES[tool.verdict]
        for change in tool.changes:
            yield f"  {change_line(change)}", "dim" if change.level == "compatible" else ""
    yield summary_line(result), STYLES[result.verdict]


def summary_line(result: ContractResult) -> str:
    """`breaking: 1 of 3 tools (…); 4 of 5 recorded calls verified`."""
    counts = [f"{result.count(verdict)} {verdict}" for verdict in _ORDER if result.count(verdict)]
    calls = (
        f"{result.verified} of {pluralize(result.calls, 'recorded call')} verified"
        if result.calls
        else "no calls"
    )
    return f"{result.verdict}: {', '.join(counts) or 'no tools'}; {calls}"


def change_line(change: ContractChange) -> str:
    place = f" {change.path}:" if change.path else ":"
    call = f" [{change.call}]" if change.call else ""
    return f"{LEVELS[change.level]}: {change.part}{place} {change.text}{call}"


def result_json(result: ContractResult) -> dict[str, Any]:
    """The document of `--json`."""
    return {
        "verdict": result.verdict,
        "recorded": result.recorded,
        "other": result.other,
        "calls": result.calls,
        "verified": result.verified,
        "not_verified": result.calls - result.verified,
        "list": [_change(change) for change in result.listing],
        "tools": [
            {
                "tool": tool.name,
                "verdict": tool.verdict,
                "calls": tool.calls,
                "verified": tool.verified,
                "changes": [_change(change) for change in tool.changes],
            }
            for tool in result.tools
        ],
    }


def result_junit(result: ContractResult, name: str) -> bytes:
    """JUnit XML: a test case per tool; a breaking tool fails, one that is not verified is skipped."""
    return junit_document(name, list(map(_junit_case, result.tools)))


def _junit_case(tool: ToolVerdict) -> JUnitCase:
    changes = "\n".join(map(change_line, tool.changes))
    if tool.verdict == "breaking":
        first = next(change for change in tool.changes if change.level == "breaking")
        return JUnitCase(tool.name, "mcp", "failure", change_line(first), text=changes)
    if tool.verdict == "not verified":
        return JUnitCase(tool.name, "mcp", "skipped", _calls_note(tool).strip(" ()"))
    return JUnitCase(tool.name, "mcp", text=changes)


def _calls_note(tool: ToolVerdict) -> str:
    if not tool.calls:
        return " (definition only)"
    if tool.verified == tool.calls:
        return f" ({pluralize(tool.calls, 'call')})"
    return f" ({tool.calls - tool.verified} of {pluralize(tool.calls, 'call')} not verified)"


def _change(change: ContractChange) -> dict[str, str]:
    return {
        "level": LEVELS[change.level],
        "part": change.part,
        "path": change.path,
        "text": change.text,
        "call": change.call,
    }
